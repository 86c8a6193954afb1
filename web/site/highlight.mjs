// Colours in listings: comments, texts, words of the language. Unknown languages stay plain.
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const c = "auto|bool|break|case|char|const|continue|default|do|double|else|enum|extern|false|float|for|if|inline|int|long|NULL|return|short|signed|sizeof|static|struct|switch|true|typedef|union|unsigned|using|void|while|class|namespace|template|public|private|new|delete|u?int(?:8|16|32|64)_t|size_t|sn_\\w+|SN_\\w+";
const js = "async|await|break|case|catch|class|const|continue|default|else|export|false|finally|for|from|function|if|import|in|let|new|null|of|return|switch|this|throw|true|try|typeof|undefined|var|while|yield";
const python = "and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield";
const text = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const languages = {
  c: { comment: "/\\*[^]*?\\*/|//[^\\n]*", text, word: c, head: "^[ \\t]*#[ \\t]*\\w+" },
  js: { comment: "/\\*[^]*?\\*/|//[^\\n]*", text: `${text}|\`(?:[^\`\\\\]|\\\\.)*\``, word: js },
  json: { comment: "(?!)", text: `"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)`, word: `"(?:[^"\\\\\\n]|\\\\.)*"|true|false|null` },
  python: { comment: "#[^\\n]*", text, word: python },
  sh: { comment: "(?<=^|\\s)#[^\\n]*", text: `"(?:[^"\\\\]|\\\\.)*"|'[^']*'`, word: "sinew|make|cmake|cc|blender|node|npm|python3?|ninja" },
};
Object.assign(languages, { cpp: languages.c, "c++": languages.c, h: languages.c, def: languages.c, javascript: languages.js, mjs: languages.js, ts: languages.js, py: languages.python, bash: languages.sh, shell: languages.sh, cmake: { comment: "#[^\\n]*", text, word: "[a-z_A-Z]+(?=\\()" } });

export function highlight(code, language) {
  const l = languages[language || (/^(\.\/)?(sinew|make|cc|blender|\$) /m.test(code) ? "sh" : "")];
  if (!l) return escape(code);
  const all = new RegExp(`(${l.comment})|(${l.text})|(${l.head || "(?!)"})|\\b(?:${l.word})\\b|${l.word.startsWith('"') ? l.word.split("|true")[0] : "(?!)"}`, "gm");
  let out = "", at = 0;
  for (const match of code.matchAll(all)) {
    if (!match[0]) continue;
    out += `${escape(code.slice(at, match.index))}<span class="${match[1] ? "comment" : match[2] ? "text" : match[3] ? "head" : "word"}">${escape(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return out + escape(code.slice(at));
}
