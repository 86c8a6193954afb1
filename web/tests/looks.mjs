// What a page looks like in numbers: contrast of texts, and how large what can be touched is. Runs in the page.
export function lowContrast(least = 4.5) {
  const parse = (text) => {
    const m = text.match(/rgba?\(([^)]+)\)/);
    if (m) { const [r, g, b, a = 1] = m[1].split(/[ ,/]+/).map(Number); return [r, g, b, a]; }
    const c = text.match(/color\(srgb ([^)]+)\)/);
    if (!c) return [0, 0, 0, 0];
    const [r, g, b, a = 1] = c[1].split(/[ /]+/).map(Number);
    return [255 * r, 255 * g, 255 * b, a];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => {
    const f = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), parse(getComputedStyle(document.body).backgroundColor));
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (!words || !box.width || style.visibility === "hidden" || element.closest("[hidden], #boot, #status:not(.on), :disabled, [aria-hidden=true]") || Number(style.opacity) === 0) continue;
    const ground = behind(element), ink = over(parse(style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : least)) found.push(`${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}.${String(element.className).replace(/ /g, ".")} "${element.textContent.trim().slice(0, 20)}" ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
}

export function smallTargets(least = 40) {
  return [...document.querySelectorAll("button, summary, select, input, a")].filter((e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return box.width && style.visibility !== "hidden" && !e.closest("[hidden], #boot, .lil-gui") && (box.height < least - 0.5 || box.width < least - 0.5);
  }).map((e) => { const b = e.getBoundingClientRect(); return `${e.tagName.toLowerCase()}#${e.id}.${e.className} ${b.width.toFixed(0)}x${b.height.toFixed(0)}`; });
}
