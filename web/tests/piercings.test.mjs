// The count of the lesson on cloth, by cases that can be worked by hand.
import assert from "node:assert/strict";
import test from "node:test";
import { countPiercings } from "../playground/src/piercings.js";

const flat = [0, 0, 0, 1, 0, 0, 0, 1, 0];
const upright = [0.2, 0.2, -1, 0.2, 0.2, 1, 0.2, 5.2, 0.5];   // in the plane x = 0.2

test("triangles that are apart, or fold along an edge, do not go through each other", () => {
  assert.equal(countPiercings([...flat, 0, 0, 1, 1, 0, 1, 0, 1, 1], [0, 1, 2, 3, 4, 5]), 0);
  assert.equal(countPiercings([...flat, 0.5, -1, 1], [0, 1, 2, 1, 0, 3]), 0);
});

test("two triangles that cross: one edge of each goes through the other", () => {
  assert.equal(countPiercings([...flat, ...upright], [0, 1, 2, 3, 4, 5]), 2);
});

test("an edge of two triangles counts once", () => {
  assert.equal(countPiercings([...flat, ...upright, 0.2, -5, 0.5], [0, 1, 2, 3, 4, 5, 4, 3, 6]), 3);
});
