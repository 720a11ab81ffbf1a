// Tables that sort by a click on a heading: up, down, and back to the order they came in.

function sortable(table) {
  const body = table.tBodies[0];
  const came = [...body.rows];
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, column) => {
    const button = element("button", { type: "button", class: "sort" });
    const [name, ...unit] = head.childNodes;
    head.replaceChildren();
    button.append(element("span", { class: "name" }, name.textContent.trim()), " ", ...unit);
    head.append(button);
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      const rows = next === "none" ? came : [...came].sort(by(column, next === "ascending" ? 1 : -1));
      body.append(...rows);
    });
  });
}

// What has no figure stands last, whichever way.
function by(column, sign) {
  return (a, b) => {
    const [left, right] = [a, b].map((row) => row.cells[column].dataset.sort);
    if (left === "" || right === "") return (left === "") - (right === "");
    const isNumbers = !Number.isNaN(Number(left)) && !Number.isNaN(Number(right));
    return sign * (isNumbers ? Number(left) - Number(right) : left.localeCompare(right));
  };
}
