"""What tiktoken counts for a set of texts that tokenizers disagree on.

The figures were taken once from tiktoken 0.14.0 (`len(encode_ordinary(text))`, in its own encodings), so that
another engine can be checked without loading tiktoken. A test counts them again with tiktoken.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROWS = (
    # text, tokens in o200k_base, tokens in cl100k_base
    ("", 0, 0),
    ("Hello, world", 3, 3),
    ("The quick brown fox jumps over the lazy dog; they've said it's 12,345 times.", 19, 21),
    ("I CAN'T, You'LL, she'D, WE'RE iPhone HTTPServer XMLHttpRequest camelCaseName", 23, 20),
    ("def chain(blocks):\n    for i, block in enumerate(blocks):\n\t\tyield i, block  # why\n", 24, 22),
    ('{"role":"user","content":[{"type":"text","text":"a\\nb\\t\\"c\\" \\u00e9"}],"n":-1.5e-7}', 38, 36),
    ("<|endoftext|>", 7, 7),
    ("x<|endoftext|><|im_start|>system<|im_end|><|endofprompt|><|fim_prefix|><|return|>y", 36, 37),
    ("/usr/lib/python3/dist-packages/pkg/__init__.py:120:13: E501 //// ---- ====\n", 23, 22),
    ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 43, 43),
    ("0123456789 1234567 12 3.14159 ١٢٣٤ ⅷ ²³", 26, 30),
    ("你好,世界。这是一个测试:上下文压缩。日本語のテキスト 한국어 문장", 23, 34),
    ("Übergrößenträger naïve façade Привет, мир! שלום עולם مرحبا नमस्ते ไทย", 21, 45),
    ("e\u0301a\u0308 \u0301\u0301 \u200b\u200d\ufeff \u00ad", 11, 13),
    ("👩‍👩‍👧‍👦 😀😀😀 🇩🇪 👍🏽 ❤️ ∑∫√ →⇒ ★", 30, 47),
    ("a  b   c    d     e\t\tf\t \tg \n\n h\r\n\r\n\r\ni\n \n  \n   j ", 22, 22),
    ("\n\n\n\n   \n", 2, 2),
    (" " * 300 + "x", 4, 4),
    ("\t" * 70 + ".", 7, 7),
    ("\u00a0\u00a0\u3000\u3000 \u2028\u2029\x0b\x0c\x1c\x85z", 11, 12),
    ("lone \ud800 and \udfff, a pair \ud83d\ude00, turned \ude00\ud83d.", 13, 14),
    ("\x00\x01\x7f\x80 \ufffd\uffff\U0010ffff", 11, 11),
    ("ab" * 2000, 1000, 2000),
    ("-" * 130 + "=" * 33, 5, 5),
    ("國" * 600, 600, 1200),
)

KNOWN: tuple[tuple[str, Mapping[str, int]], ...] = tuple(
    (text, MappingProxyType({"o200k_base": o200k, "cl100k_base": cl100k})) for text, o200k, cl100k in _ROWS
)
"""Each text with its tokens by vocabulary."""
