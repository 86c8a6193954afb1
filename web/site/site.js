// The search and the menu. The index is a script, so that it is read from file:// as well, and is fetched when it is first needed.
"use strict";
(() => {
  const up = window.sinewUp, box = document.getElementById("search-box"), list = document.getElementById("search-list");
  let loading = null, words = null, chosen = -1;

  function load() {
    loading ||= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${up}/search_index.js`;
      script.onload = () => { words = Object.keys(window.sinewSearch.words).sort(); resolve(window.sinewSearch); };
      script.onerror = () => reject(new Error("the search index cannot be read"));
      document.head.append(script);
    });
    return loading;
  }

  // Where in the sorted list words that begin with a text would be.
  function firstAt(text) {
    let low = 0, high = words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (words[middle] < text) low = middle + 1; else high = middle;
    }
    return low;
  }

  // Sections that have all words, the last of which may be unfinished; those that have them in titles come first.
  function find(index, query) {
    const terms = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
    let total = null;
    for (const term of terms) {
      const scores = new Map();
      for (let i = firstAt(term); i < words.length && words[i].startsWith(term); ++i) {
        const share = words[i] === term ? 1 : 0.4 * term.length / words[i].length;
        let number = 0;
        for (const entry of index.words[words[i]].split(" ")) {
          const [step, weight = "1"] = entry.split(":");
          number += +step;
          scores.set(number, (scores.get(number) || 0) + share * Math.log2(1 + +weight));
        }
      }
      if (total) for (const [number, score] of total) scores.has(number) ? scores.set(number, scores.get(number) + score) : null;
      if (total) for (const number of [...scores.keys()]) if (!total.has(number)) scores.delete(number);
      total = scores;
    }
    return [...(total || [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([number]) => {
      const [page, id, title, beginning] = index.sections[number], [address, pageTitle] = index.pages[page];
      return { href: `${up}/${address}${id ? `#${id}` : ""}`, title, pageTitle, beginning };
    });
  }

  function entry(found, role) {
    const link = document.createElement("a"), title = document.createElement("b"), where = document.createElement("span"), about = document.createElement("small");
    link.href = found.href;
    if (role) link.setAttribute("role", role);
    title.textContent = found.title;
    where.textContent = found.pageTitle === found.title ? "" : ` ${found.pageTitle}`;
    about.textContent = found.beginning;
    link.append(title, where, about);
    return link;
  }

  async function suggest() {
    const query = box.value.trim();
    chosen = -1;
    if (!query) { list.hidden = true; return; }
    try {
      const results = find(await load(), query).slice(0, 12);
      if (box.value.trim() !== query) return;
      list.replaceChildren(...results.map((r) => entry(r, "option")));
      if (!results.length) list.textContent = "Nothing found.";
    } catch (error) {
      list.textContent = error.message;
    }
    list.hidden = false;
  }

  box.addEventListener("input", suggest);
  box.addEventListener("focus", () => { load().catch(() => {}); if (box.value) suggest(); });
  box.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    if (event.key === "Escape") { list.hidden = true; box.blur(); }
    if (event.key === "Enter" && chosen >= 0 && links[chosen]) { event.preventDefault(); links[chosen].click(); }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    chosen = Math.max(-1, Math.min(links.length - 1, chosen + (event.key === "ArrowDown" ? 1 : -1)));
    links.forEach((link, i) => link.classList.toggle("chosen", i === chosen));
    links[chosen]?.scrollIntoView({ block: "nearest" });
  });
  list.addEventListener("click", () => { list.hidden = true; });
  document.addEventListener("click", (event) => { if (!event.target.closest("#search-form")) list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) { event.preventDefault(); box.focus(); }
  });

  const menu = document.getElementById("menu"), button = document.getElementById("open-menu");
  button.addEventListener("click", () => button.setAttribute("aria-expanded", String(menu.classList.toggle("open"))));
  const current = menu.querySelector("[aria-current]");
  if (current && current.offsetTop > menu.clientHeight) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;

  // Browsers run no modules from file://, and the playground is made of them.
  if (location.protocol === "file:") document.addEventListener("click", (event) => {
    if (!event.target.closest('a[href*="playground/index.html"]')) return;
    event.preventDefault();
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = "The playground needs a web server; from files browsers do not run it. 'sinew view' serves it on this machine.";
    document.querySelector(".note")?.remove();
    document.querySelector("main").prepend(note);
    scrollTo(0, 0);
  });

  const page = document.getElementById("found");
  if (page) {
    const query = new URLSearchParams(location.search).get("q") || "";
    box.value = query;
    document.title = query ? `${query} · Search · Sinew` : document.title;
    if (query) load().then((index) => {
      const results = find(index, query);
      const count = document.createElement("p");
      count.textContent = results.length ? `${results.length} section${results.length === 1 ? "" : "s"} with “${query}”` : `Nothing found for “${query}”.`;
      page.replaceChildren(count, ...results.slice(0, 100).map((r) => entry(r)));
    }, (error) => { page.textContent = error.message; });
  }
})();
