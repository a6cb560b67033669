import { findExcesses } from './limits.js';
import type { Growth, Memory, Series } from './protocol.js';

const MIB = 1024 * 1024;

function memory(mebibytes: number): Memory {
  return { heldBytes: 90 * MIB, residentBytes: mebibytes * MIB, heapBytes: 5 * MIB };
}

function lineOf(name: string, exponent: number, isEngine = false): Series {
  return {
    name,
    unit: 'µs',
    isEngine,
    points: [1, 10, 100, 1000].map((size) => ({ size, value: 3 * size ** exponent })),
  };
}

function growth(lateMebibytes: number, ...series: Series[]): Growth {
  const resident = { early: memory(56), late: memory(lateMebibytes) };
  return { dimensions: [{ dimension: 'json', series }], resident, bare: resident };
}

it.each<[string, Growth, string[]]>([
  ['nothing in what is linear', growth(61, lineOf('one POST', 1)), []],
  ['a line that rises faster', growth(61, lineOf('one POST', 1.2)), ['json, one POST, µs: exponent 1.20']],
  ['nothing in what the engine does too', growth(61, lineOf('one POST', 1.2), lineOf('engine', 1.17, true)), []],
  [
    'a line that rises faster than that of the engine',
    growth(61, lineOf('one POST', 1.2), lineOf('engine', 1.1, true)),
    ['json, one POST, µs: exponent 1.20'],
  ],
  ['memory that rises by more than 5 MiB', growth(62, lineOf('one POST', 1)), ['resident memory: 6.0 MiB more']],
])('finds %s', (_name, measured, excesses) => {
  expect(findExcesses(measured)).toEqual(excesses);
});
