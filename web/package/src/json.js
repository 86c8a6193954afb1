// JSON text to the events that web/glue/json_read.c makes a document of, with jsonc-parser, which says where things stand and keeps
// keys in order. What it lets pass and the command does not (two equal keys, numbers that are not exact, half pairs, zeros) is found
// here, and so is what was expected where it stumbles: it tells that only of some places.
//
// Every event begins at a multiple of 8 bytes with two words of 32 bits, what it is and a count:
//   RECORD, LIST, END, NULL   0
//   TRUTH                     0 or 1
//   KEY, TEXT                 bytes; they follow, in UTF-8, and a zero
//   NUMBER, NUMBERS           numbers, of which NUMBER has 1; they follow, as doubles
//   WRONG                     what is wrong: a number of FLAW. Two words follow, the bytes in the text that it is about
// A text that is wrong has one event, WRONG.
import { ParseErrorCode, visit } from 'jsonc-parser';

const EVENT = { record: 1, list: 2, end: 3, key: 4, text: 5, number: 6, numbers: 7, truth: 8, null: 9, wrong: 10 };

// The first ones: something else was expected. In the order of web/glue/json_read.c.
const FLAW = { value: 0, firstValue: 1, firstKey: 2, key: 3, colon: 4, commaInRecord: 5, commaInList: 6, rest: 7, empty: 8, depth: 9, twice: 10,
  integer: 11, number: 12, lineBreak: 13, control: 14, escape: 15, halfPair: 16, zero: 17, open: 18 };

const DEPTH = 256; // SN_DOCUMENT_DEPTH
const PARSER_DEPTH = 2048; // where the command's parser gives up before it has seen the rest; ours calls itself
const INTEGER_LIMIT = 2 ** 53;

const FLAWS_IN_QUOTES = new Set([ParseErrorCode.UnexpectedEndOfString, ParseErrorCode.InvalidUnicode, ParseErrorCode.InvalidEscapeCharacter,
  ParseErrorCode.InvalidCharacter]);

const encoder = new TextEncoder();

/** What is wrong with a text; thrown to end the visit at the first. */
class Wrong {
  constructor(flaw, start, end) {
    Object.assign(this, { flaw, start, end });
  }
}

/** Events in bytes that grow. */
class Writer {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** Where so many bytes may be written behind the two words of an event. */
  #begin(event, count, size) {
    const at = this.#at;
    const end = at + 8 + Math.ceil(size / 8) * 8;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, end));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#view.setUint32(at, event, true);
    this.#view.setUint32(at + 4, count, true);
    this.#at = end;
    return at + 8;
  }

  plain(event, count = 0) {
    this.#begin(event, count, 0);
  }

  text(event, string) {
    const bytes = encoder.encode(string);
    const at = this.#begin(event, bytes.length, bytes.length + 1);
    this.#bytes.set(bytes, at);
  }

  numbers(event, numbers) {
    const at = this.#begin(event, numbers.length, 8 * numbers.length);
    for (let i = 0; i < numbers.length; ++i) this.#view.setFloat64(at + 8 * i, numbers[i], true);
  }

  wrong(flaw, start, end) {
    const at = this.#begin(EVENT.wrong, flaw, 8);
    this.#view.setUint32(at, start, true);
    this.#view.setUint32(at + 4, end, true);
  }

  get bytes() {
    return this.#bytes.subarray(0, this.#at);
  }
}

// ---- Numbers and texts that JavaScript has and we have not ---------------------------------------------------------------------

const isDigit = (char) => char >= '0' && char <= '9';

/** The flaw of the number in a token; undefined if it has none. */
function numberFlaw(token) {
  const value = Number(token);
  if (/[.eE]/.test(token)) return Number.isFinite(value) ? undefined : FLAW.number;
  if (Math.abs(value) < INTEGER_LIMIT) return undefined;
  return /^-?9007199254740992$/.test(token) ? undefined : FLAW.integer;
}

/** Integers beyond 64 bits stop the command's parser; smaller ones are found only after it has read everything. */
const isLongInteger = (token) => BigInt(token) !== BigInt.asIntN(64, BigInt(token));

/** The flaw of a text without its escapes; undefined if it has none. */
function textFlaw(value) {
  if (/\p{Surrogate}/u.test(value)) return FLAW.halfPair; // of pairs, this finds only halves
  return value.includes('\0') ? FLAW.zero : undefined;
}

/** The first flaw of a text in quotes, at an offset, in which the parser found one; it tells only of the last. */
function flawInQuotes(text, start) {
  const special = /[\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})?/g;
  special.lastIndex = start + 1;
  let found;
  do found = special.exec(text);
  while (found && found[0].length > 1); // an escape that there is
  if (!found) return new Wrong(FLAW.open, start, start);
  let at = found.index;
  if (found[0] !== '\\') return new Wrong(found[0] === '\n' || found[0] === '\r' ? FLAW.lineBreak : FLAW.control, at, at);
  at += /^\\(?:u[\da-fA-F]*)?/.exec(text.slice(at, at + 6))[0].length;
  at = Math.min(at, text.length - 1); // the character that makes it none, or the last one there is
  return new Wrong(FLAW.escape, at, at);
}

// ---- Reading ---------------------------------------------------------------------------------------------------------------------

class Reader {
  #text;
  #writer = new Writer();
  #open = []; // records, each as the set of its keys, and lists, each null, that are open
  #expected = FLAW.value;
  #numbers = null; // of a list that is open and, so far, of numbers alone: it is not written yet
  #later = null; // wrong, but only to be told if nothing else is

  constructor(text) {
    this.#text = text;
  }

  read() {
    visit(this.#text, {
      onObjectBegin: (offset) => this.#begin(offset, new Set()),
      onObjectProperty: (name, offset, length) => this.#key(name, offset, length),
      onObjectEnd: (offset, length) => length && this.#end(), // it is also told of where the text ends
      onArrayBegin: (offset) => this.#begin(offset, null),
      onArrayEnd: (offset, length) => length && this.#end(),
      onLiteralValue: (value, offset, length) => this.#literal(value, offset, length),
      onSeparator: (sign) => this.#separator(sign),
      onError: (code, offset, length) => this.#error(code, offset, length),
    }, { disallowComments: true, allowTrailingComma: false });
    if (this.#later) throw this.#later;
    return this.#writer;
  }

  get #inRecord() {
    return this.#open.length > 0 && this.#open.at(-1) !== null;
  }

  #expectNext() {
    this.#expected = !this.#open.length ? FLAW.rest : this.#inRecord ? FLAW.commaInRecord : FLAW.commaInList;
  }

  /** A list with something else than numbers in it. */
  #writeList() {
    if (!this.#numbers) return;
    this.#writer.plain(EVENT.list);
    for (const number of this.#numbers) this.#writer.numbers(EVENT.number, [number]);
    this.#numbers = null;
  }

  #checkDepth(offset) {
    if (this.#open.length >= PARSER_DEPTH) throw new Wrong(FLAW.depth, offset, offset);
  }

  #begin(offset, keys) {
    this.#checkDepth(offset);
    if (this.#open.length >= DEPTH) this.#later ??= new Wrong(FLAW.depth, offset, offset);
    this.#writeList();
    if (keys) this.#writer.plain(EVENT.record);
    else this.#numbers = [];
    this.#open.push(keys);
    this.#expected = keys ? FLAW.firstKey : FLAW.firstValue;
  }

  #end() {
    if (this.#numbers?.length) {
      this.#writer.numbers(EVENT.numbers, this.#numbers);
      this.#numbers = null;
    } else {
      this.#writeList();
      this.#writer.plain(EVENT.end);
    }
    this.#open.pop();
    this.#expectNext();
  }

  #key(name, offset, length) {
    this.#checkText(name, offset, length);
    const keys = this.#open.at(-1);
    if (keys.has(name)) throw new Wrong(FLAW.twice, offset, offset + length);
    keys.add(name);
    this.#writer.text(EVENT.key, name);
    this.#expected = FLAW.colon;
  }

  #separator(sign) {
    this.#expected = sign === ',' && this.#inRecord ? FLAW.key : FLAW.value;
  }

  #literal(value, offset, length) {
    this.#checkDepth(offset);
    if (typeof value === 'number') {
      this.#number(value, offset, length);
    } else {
      this.#writeList();
      if (typeof value === 'string') {
        this.#checkText(value, offset, length);
        this.#writer.text(EVENT.text, value);
      } else if (value === null) {
        this.#writer.plain(EVENT.null);
      } else {
        this.#writer.plain(EVENT.truth, value ? 1 : 0);
      }
    }
    this.#expectNext();
  }

  #checkText(value, offset, length) {
    const flaw = textFlaw(value);
    if (flaw !== undefined) throw new Wrong(flaw, offset, offset + length);
  }

  #number(value, offset, length) {
    let exact = value;
    if (value === 0) {
      const token = this.#text.substr(offset, length);
      if (/^-?0$/.test(token)) {
        if (isDigit(this.#text[offset + length])) throw new Wrong(FLAW.value, offset, offset); // 01, to the parser two numbers
        exact = 0; // an integer has no -0
      }
    } else if (Math.abs(value) >= INTEGER_LIMIT) {
      this.#checkNumber(offset, length);
    }
    if (this.#numbers) this.#numbers.push(exact);
    else this.#writer.numbers(EVENT.number, [exact]);
  }

  #checkNumber(offset, length) {
    const token = this.#text.substr(offset, length);
    const flaw = numberFlaw(token);
    if (flaw === undefined) return;
    const wrong = new Wrong(flaw, offset, offset + length);
    if (flaw === FLAW.number || isLongInteger(token)) throw wrong;
    this.#later ??= wrong;
  }

  #error(code, offset, length) {
    if (FLAWS_IN_QUOTES.has(code)) throw flawInQuotes(this.#text, offset);
    const token = this.#text.substr(offset, length);
    this.#checkToken(token, offset, length);
    if (token && this.#expected <= FLAW.firstValue) this.#checkDepth(offset);
    if (!token && !this.#open.length) throw new Wrong(FLAW.empty, 0, 0);
    const word = this.#expected <= FLAW.firstValue && /^(?:true|false|null)(?![a-zA-Z])/.exec(token);
    if (word) { // and then more, without space: to the parser, all of it is one word
      this.#expectNext();
      throw new Wrong(this.#expected, offset + word[0].length, offset + word[0].length);
    }
    throw new Wrong(this.#expected, offset, offset + length);
  }

  /** Numbers and texts that are wrong by themselves are so wherever they stand. */
  #checkToken(token, offset, length) {
    if (/^-?\d/.test(token) && /\d$/.test(token)) this.#checkNumber(offset, length);
    if (/^".*"$/s.test(token) && textFlaw(JSON.parse(token)) === FLAW.halfPair) throw new Wrong(FLAW.halfPair, offset, offset + length);
  }
}

/** The events of a text, which has no byte order mark. */
export function jsonEvents(text) {
  try {
    return new Reader(text).read().bytes;
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong;
    const before = encoder.encode(text.slice(0, wrong.start)).length; // places are in UTF-16 here, and in UTF-8 there
    const writer = new Writer();
    writer.wrong(wrong.flaw, before, before + encoder.encode(text.slice(wrong.start, wrong.end)).length);
    return writer.bytes;
  }
}
