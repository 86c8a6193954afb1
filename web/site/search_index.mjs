// What the search looks through: every section of every page, and which words are in it. Made when the site is built.
const plain = (html) => html.replace(/<a class="anchor"[^]*?<\/a>/g, "").replace(/<[^>]*>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&").replace(/\s+/g, " ").trim();

// Words in small letters; of sn_particle_add also its parts.
export function wordsOf(text) {
  const found = [];
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    found.push(word);
    if (word.includes("_")) found.push(...word.split("_").filter((part) => part.length > 1 && part !== "sn"));
  }
  return found.filter((word) => word.length > 1 && word.length < 40);
}

// A page cut at its headings: { id, title, html }.
function sections(page) {
  const found = [], marks = [...page.html.matchAll(/<h[1-3] id="([^"]*)">([^]*?)<\/h[1-3]>/g)];
  if (!marks.length || plain(page.html.slice(0, marks[0].index))) found.push({ id: "", title: page.title, html: marks.length ? page.html.slice(0, marks[0].index) : page.html });
  marks.forEach((mark, i) => found.push({ id: mark[1], title: plain(mark[2]), html: page.html.slice(mark.index + mark[0].length, marks[i + 1]?.index) }));
  return found;
}

// { pages: [[address, title]], sections: [[page, id, title, beginning]], words: { word: "section weight ..." } }. Sections are told by the difference to the
// one before.
export function searchIndex(pages) {
  const index = { pages: [], sections: [], words: {} }, weights = new Map();
  for (const page of pages) {
    index.pages.push([page.at, page.title]);
    for (const section of sections(page)) {
      const body = plain(section.html), number = index.sections.push([index.pages.length - 1, section.id, section.title, body.slice(0, 180)]) - 1;
      const counts = new Map();
      // A long section does not win by its length: a word counts at most four times.
      const count = (words, weight, most) => words.forEach((word) => counts.set(word, Math.min((counts.get(word) || 0) + weight, most)));
      count(wordsOf(body), 1, 4);
      count(wordsOf(page.title), 3, 7);
      count(wordsOf(section.title), 16, 30);
      for (const [word, weight] of counts) {
        if (!weights.has(word)) weights.set(word, []);
        weights.get(word).push([number, weight]);
      }
    }
  }
  for (const [word, found] of [...weights].sort(([a], [b]) => (a < b ? -1 : 1))) {
    let last = 0;
    index.words[word] = found.map(([number, weight]) => { const step = number - last; last = number; return weight === 1 ? `${step}` : `${step}:${weight}`; }).join(" ");
  }
  return index;
}
