// Which page is shown: the part of the address after #, so that the browser's back button works.

const TABS = [
  ["views", "Views", viewsPage],
  ["lineage", "Lineage", lineagePage],
  ["time", "Time and costs", timePage],
  ["advice", "Advice", advicePage],
];

function go(page, id) {
  location.hash = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
}

function show() {
  const [page, id] = location.hash.slice(1).split("/");
  const view = page === "view" ? VIEWS.get(decodeURIComponent(id || "")) : undefined;
  const tab = TABS.find(([key]) => key === page) || TABS[0];
  document.getElementById("main").replaceChildren(...(view ? viewPage(view) : tab[2]()).filter(Boolean));
  document.getElementById("tabs").replaceChildren(...TABS.map((each) => tabButton(each, each === tab)));
  window.scrollTo(0, 0);
}

function tabButton([page, label], isShown) {
  return element("button", { "data-tab": page, "aria-current": isShown ? "page" : null, onclick: () => go(page) }, label);
}

document.title = `Lazy views of ${DOCUMENT.project}`;
document.getElementById("title").textContent = document.title;
document.getElementById("made").textContent = `target ${DOCUMENT.target}, as of ${clock(DOCUMENT.made_at)}`;
document.getElementById("footer").textContent =
  `dbt-lazyview ${DOCUMENT.version}. The page shows what was known when it was made; it loads nothing.`;
window.addEventListener("hashchange", show);
show();
