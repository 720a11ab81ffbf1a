// Figures as people read them, in the form that the tables of the page have.

const UNPRICED = "unpriced";
const NOT_SIMULATED = "not simulated";

const grouped = (n, decimals = 0) =>
  n.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

// Cents are enough; below ten cents it takes as many decimals as show two digits, at least four.
function decimalsOf(amount) {
  const size = Math.abs(amount ?? 0);
  return size > 0 && size < 0.1 ? Math.min(12, Math.max(4, 1 - Math.floor(Math.log10(size)))) : 2;
}

function dollars(amount, decimals = decimalsOf(amount)) {
  if (amount === null) return UNPRICED;
  return `${amount < 0 ? "-" : ""}$${grouped(Math.abs(amount), decimals)}`;
}

function signedDollars(amount, decimals = decimalsOf(amount)) {
  return amount !== null && amount > 0 ? `+${dollars(amount, decimals)}` : dollars(amount, decimals);
}

// The decimals that all amounts of a column have, so that their points stand below each other.
const MOST_DECIMALS = 6;
const aligned = (amounts) => amounts.reduce((most, amount) => Math.max(most, Math.min(MOST_DECIMALS, decimalsOf(amount))), 2);

// The decimals that the ticks of an axis take, at a distance of *step*.
function decimalsOfStep(step) {
  let decimals = 2;
  while (decimals < 9 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals += 1;
  return decimals;
}

const figure = (n, missing = "") => (n === null ? missing : grouped(n));

const times = (n, what) => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;

const plain = (word) => word.replaceAll("_", " ");

function lifetime(seconds) {
  const s = Number(seconds);
  if (!Number.isFinite(s)) return plain(String(seconds));
  return s % 3600 === 0 ? `${s / 3600} h` : s % 60 === 0 ? `${s / 60} min` : `${s} s`;
}

// A sum of dollars, rounded to what the page's data holds, so that nothing is no tiny difference.
const difference = (a, b) => (a === null || b === null ? null : Math.round((a - b) * 1e9) / 1e9);
