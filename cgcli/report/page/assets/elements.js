// Elements made of text: nothing here is ever read as markup.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, given] of Object.entries(attributes)) {
    if (given === null || given === false) continue;
    made.setAttribute(name, given === true ? "" : given);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const cell = (text, kind = "") => element("td", { class: kind || null }, text);

const figureCell = (n, missing = "") => cell(figure(n, missing), n === null && missing ? "figure state" : "figure");

// A table in a box that scrolls sideways, by the keyboard too.
function scrollingTable(caption, head, body, kind) {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      { class: kind },
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...head)),
      body,
    ),
  );
}

// A heading of a column, its unit in small.
function heading(name, unit, kind = "figure") {
  const small = unit ? [" ", element("small", {}, unit)] : [];
  return element("th", { scope: "col", class: kind || null }, name, ...small);
}
