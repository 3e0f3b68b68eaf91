// Looks at the page as an accessibility checker does: the serious rules of
// axe-core 4 that a page without scripts can break, and contrast as it is drawn.
// What it finds is written into <pre id="accessibility-report">, a line each.
(() => {
  const found = [];
  const where = (e) => {
    const text = (e.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
    const cls = e.getAttribute && e.getAttribute("class");
    return `<${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}${cls ? "." + cls.split(" ")[0] : ""}> "${text}"`;
  };
  const fault = (rule, e, more) => found.push(`${rule}: ${where(e)}${more ? " " + more : ""}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const hidden = (e) => e.closest("[aria-hidden=true], [hidden]") !== null || !e.checkVisibility({ checkVisibilityCSS: true });
  const named = (e) => {
    const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean);
    const own = e.tagName === "svg" ? [...e.children].filter((c) => c.tagName === "title") : [e];
    return (e.getAttribute("aria-label") || "").trim() !== "" || by.some((b) => b.textContent.trim() !== "") ||
      own.some((o) => o.textContent.trim() !== "") || (e.labels && [...e.labels].some((l) => l.textContent.trim() !== "")) || (e.getAttribute("title") || "").trim() !== "";
  };

  // html-has-lang, document-title, meta-viewport
  if (!/^[a-z]{2}(-|$)/.test(document.documentElement.lang)) fault("html-has-lang", document.documentElement);
  if (document.title.trim() === "") fault("document-title", document.documentElement);
  const viewport = document.querySelector("meta[name=viewport]");
  if (!viewport || /user-scalable=no|maximum-scale=[01](\D|$)/.test(viewport.content)) fault("meta-viewport", document.documentElement);

  // duplicate-id, and references that lead nowhere
  const ids = new Set();
  for (const e of all("[id]")) {
    if (ids.has(e.id)) fault("duplicate-id", e, e.id);
    ids.add(e.id);
  }
  for (const e of all("[aria-labelledby], [aria-describedby], [aria-controls], [for], a[href^='#']")) {
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
      for (const id of (e.getAttribute(name) || "").split(/\s+/).filter(Boolean)) if (!ids.has(id)) fault("reference", e, `${name}=${id}`);
    }
    const href = e.tagName === "A" ? e.getAttribute("href") || "" : "";
    if (href.length > 1 && href[0] === "#" && !ids.has(decodeURIComponent(href.slice(1)))) fault("skip-link", e, href);
  }

  // page-has-heading-one, heading-order, empty-heading
  const headings = all("h1, h2, h3, h4, h5, h6");
  if (headings.filter((h) => h.tagName === "H1").length !== 1) fault("page-has-heading-one", document.body);
  let level = 0;
  for (const h of headings) {
    const now = Number(h.tagName[1]);
    if (now > level + 1) fault("heading-order", h, `after h${level}`);
    if (h.textContent.trim() === "") fault("empty-heading", h);
    level = now;
  }

  // landmark-one-main, region
  if (all("main").length !== 1) fault("landmark-one-main", document.body);
  for (const e of document.body.children) {
    if (!["MAIN", "HEADER", "NAV", "FOOTER", "ASIDE", "SCRIPT", "STYLE", "PRE"].includes(e.tagName) && !e.matches("a[href^='#']") && e.textContent.trim() !== "" && !hidden(e)) fault("region", e);
  }
  const navs = all("nav");
  if (navs.length > 1) for (const n of navs) if (!n.hasAttribute("aria-label") && !n.hasAttribute("aria-labelledby")) fault("landmark-unique", n);

  // link-name, button-name, summary-name, label, svg-img-alt, nested-interactive
  for (const e of all("a[href], button, summary, input, select, textarea, [role=img], img, svg")) {
    if (hidden(e) || e.type === "hidden" || e.parentElement.closest("svg")) continue;
    if (e.tagName === "svg" && e.getAttribute("role") !== "img") {
      fault("svg-img-alt", e, "neither role=img nor aria-hidden");
      continue;
    }
    if (!named(e)) fault("name", e);
  }
  for (const e of all("a[href], button, summary, [role=img], [role=button]")) {
    if (e.querySelector("a[href], button, input, select, textarea, [tabindex]")) fault("nested-interactive", e);
  }

  // aria-roles
  const roles = ["img", "group", "list", "listitem", "region", "note", "status", "presentation", "none", "table", "button", "navigation", "alert", "term", "definition", "meter", "figure", "graphics-document", "graphics-symbol"];
  for (const e of all("[role]")) if (!roles.includes(e.getAttribute("role"))) fault("aria-roles", e, e.getAttribute("role"));

  // list, definition-list
  for (const e of all("ul, ol")) for (const c of e.children) if (!["LI", "SCRIPT", "TEMPLATE"].includes(c.tagName)) fault("list", e, c.tagName);
  for (const e of all("dl")) for (const c of e.children) if (!["DT", "DD", "DIV"].includes(c.tagName)) fault("definition-list", e, c.tagName);
  for (const e of all("li")) if (!["UL", "OL", "MENU"].includes(e.parentElement.tagName)) fault("listitem", e);

  // table headers
  for (const t of all("table")) {
    const heads = [...t.querySelectorAll("th")];
    if (heads.length === 0) fault("table-header", t);
    for (const th of heads) if (!["col", "row", "colgroup", "rowgroup"].includes(th.getAttribute("scope"))) fault("th-scope", th);
    for (const th of t.querySelectorAll("thead th")) if (th.textContent.trim() === "" && !th.getAttribute("aria-label")) fault("empty-table-header", th);
  }

  // scrollable-region-focusable
  for (const e of all("*")) {
    const s = getComputedStyle(e);
    const scrolls = (/auto|scroll/.test(s.overflowX) && e.scrollWidth > e.clientWidth + 1) || (/auto|scroll/.test(s.overflowY) && e.scrollHeight > e.clientHeight + 1);
    if (scrolls && e !== document.documentElement && e !== document.body && e.tabIndex < 0 && !e.querySelector("a[href], button, summary, input, select, textarea, [tabindex='0']")) fault("scrollable-region-focusable", e);
  }

  // link-in-text-block: told from its text by more than colour
  for (const a of all("p a[href], li a[href], dd a[href]")) {
    const around = a.closest("p, li, dd");
    const rest = [...around.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
    if (rest && !hidden(a) && !getComputedStyle(a).textDecorationLine.includes("underline")) fault("link-in-text-block", a);
  }

  // color-contrast, by the formulas of WCAG 2.1
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const canvas = rgba(getComputedStyle(document.body).backgroundColor);
  const behind = (e) => { // the colours of all that an element stands on
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), over(canvas, dark ? [18, 18, 18, 1] : [255, 255, 255, 1]));
  };
  const shapeBehind = (text) => { // what was drawn before a text of a drawing, at its middle
    text.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = text.getBoundingClientRect();
    let below = behind(text.ownerSVGElement);
    for (const s of document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2).reverse()) {
      if (!(s instanceof SVGGeometryElement) || s.ownerSVGElement !== text.ownerSVGElement) continue;
      const style = getComputedStyle(s);
      if (style.fill === "none" || style.fill.startsWith("url")) continue;
      const fill = rgba(style.fill);
      fill[3] *= Number(style.fillOpacity) * Number(style.opacity);
      below = over(fill, below);
    }
    return below;
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || seen.has(e) || ["SCRIPT", "STYLE", "TITLE", "DESC"].includes(e.tagName.toUpperCase()) || !e.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true })) continue;
    seen.add(e);
    const style = getComputedStyle(e);
    const drawn = e.closest("svg");
    const below = drawn ? shapeBehind(e.closest("text") || e) : behind(e);
    const ink = rgba(drawn ? style.fill : style.color);
    ink[3] *= drawn ? Number(style.fillOpacity) : 1;
    for (let at = e; at; at = at.parentElement) ink[3] *= Number(getComputedStyle(at).opacity);
    const size = parseFloat(style.fontSize);
    const need = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const has = ratio(over(ink, below), below);
    if (has < need - 0.005) fault("color-contrast", e, `${has.toFixed(2)}, needs ${need}`);
  }

  const out = document.createElement("pre");
  out.id = "accessibility-report";
  out.textContent = `${seen.size} texts\n${found.join("\n")}\n`;
  document.body.append(out);
})();
