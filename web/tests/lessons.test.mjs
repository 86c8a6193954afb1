// What a lesson says is what its scene shows: every number in its sentences is measured, in Node; in 'make test', those of the first two seconds, as the lesson comes. page.test.mjs opens all of them in Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../package/sinew.js";
import { files, index, readLessons } from "../playground/lessons.mjs";
import { openLesson } from "./lessons.mjs";
import { names, root } from "./scenes.mjs";

const all = readLessons(), long = Boolean(process.env.SINEW_LONG_TESTS);

test("every file is in the index, and every lesson on a topic", () => {
  assert.deepEqual(index().flatMap((c) => c.lessons).sort(), files().sort());
  for (const { lesson } of all) assert.ok(lesson.topics.length && lesson.short && lesson.source, lesson.id);
});

test("every topic that the lectures have has a lesson", () => {
  const topics = new Set(all.flatMap(({ lesson }) => lesson.topics));
  const wanted = readFileSync(`${root}web/playground/lessons/README.md`, "utf8").match(/<!-- topics -->([^]*?)<!-- end -->/)[1].match(/^- .+$/gm).map((line) => line.slice(2));
  for (const topic of wanted) assert.ok(topics.has(topic), topic);
  for (const topic of topics) assert.ok(wanted.includes(topic), `${topic} is not in lessons/README.md`);
});

for (const { lesson, claims } of all) {
  test(`${lesson.id}: its parts, and ${claims.length} numbers`, async () => {
    assert.ok(claims.length >= 1, "a number that is measured");
    assert.ok(/<math/.test(lesson.body), "a formula");
    const sliders = lesson.controls.filter((c) => c.type !== "action").length;
    assert.ok(sliders >= 2 && sliders <= 3, `${sliders} sliders: two or three`);
    if (lesson.scene) assert.ok(names.includes(lesson.scene), lesson.scene);
    const sinew = await load(), groups = group(long ? claims : claims.filter((c) => c.frame <= 120 && !c.set.length));
    for (const [, own] of groups) {
      const open = openLesson(sinew, lesson, own[0].set);
      for (const claim of own.sort((a, b) => a.frame - b.frame)) {
        const v = open.at(claim.frame).value(claim.code, claim.pane);
        assert.ok(Math.abs(v - claim.value) <= claim.within, `“${claim.sentence}”: ${claim.shown} is ${v}, at frame ${claim.frame} ${claim.set}`);
      }
      for (const [, ...cells] of lesson.numbers.rows) for (const code of cells) assert.ok(open.at(own.at(-1).frame).value(code) !== undefined, code);
      open.close();
    }
    for (const control of lesson.controls.filter((c) => c.build && c.type === "range")) {   // its ends can be built
      for (const end of [control.least, control.most]) openLesson(sinew, lesson, [control.key, ...(control.also || [])].map((key) => `${key}=${end}`)).close();
    }
    sinew.destroy();
  });
}

// Those that are measured under the same settings.
function group(claims) {
  const groups = new Map();
  for (const claim of claims) groups.set(claim.set.join(";"), [...(groups.get(claim.set.join(";")) || []), claim]);
  return groups;
}
