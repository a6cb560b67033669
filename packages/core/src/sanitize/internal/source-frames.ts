/** A larger map is not read: reading needs three times its size for a moment. */
const MAX_MAP_BYTES = 8_388_608;
/** Maps are not kept, since Node's `SourceMap` needs 18 times the size of the file. A process that finds ever new places stops reading. */
const MAX_READS = 200;
const MAX_PLACES = 512;
/** A V8 stack frame with its place, which is file, line and column. Other files than JavaScript have no map. */
const FRAME = /^at (?:async )?(?:[^(]*\()?(((?:file:\/\/)?\/.*\.[cm]?js):(\d{1,7}):(\d{1,7}))\)?$/;

/** A place in a bundled file. */
interface Place {
  /** File, line and column as the frame has them. */
  readonly text: string;
  /** From 0. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
  /** Index of the source in the map, and line and column in the source, from 0; -1 until it is found. */
  source: number;
  sourceLine: number;
  sourceColumn: number;
}

/** The place in the source by the place in the file; `undefined` for a place that no map contains. */
const known = /* @__PURE__ */ new Map<string, string | undefined>();
let reads = 0;

/**
 * The frames of a stack with places in the sources instead of places in the bundle, by the source map `<file>.map` next to each file.
 * Node's `--enable-source-maps` does the same, but reads all maps at the start.
 *
 * A frame is returned unchanged if the map is missing, broken or larger than 8 MiB, or does not contain the place. Never throws.
 */
export function toSourceFrames(frames: readonly string[]): readonly string[] {
  if (known.size > MAX_PLACES) known.clear();
  const files = new Map<string, Place[]>();
  const places = frames.map((frame) => {
    const [, text = '', file = '', line, column] = FRAME.exec(frame) ?? [];
    if (text === '' || known.has(text)) return text;
    // Until it is found: a broken map is not read again for this place.
    known.set(text, undefined);
    const others = files.get(file) ?? [];
    const place = {
      text,
      line: Number(line) - 1,
      column: Number(column) - 1,
      source: -1,
      sourceLine: 0,
      sourceColumn: 0,
    };
    files.set(file, [...others, place]);
    return text;
  });
  for (const [file, unknown] of files) {
    try {
      readMap(file, unknown);
    } catch {
      // There is no map, or it is broken.
    }
  }
  return frames.map((frame, index) => {
    const place = places[index] ?? '';
    const source = known.get(place);
    return source ? frame.replace(place, () => source) : frame;
  });
}

/** Finds places of one file in its map. @throws any error for a map that is missing or broken */
function readMap(file: string, places: readonly Place[]): void {
  const { statSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { pathToFileURL } = process.getBuiltinModule('node:url');
  const url = file.startsWith('/') ? pathToFileURL(`${file}.map`) : new URL(`${file}.map`);
  if (statSync(url).size > MAX_MAP_BYTES || reads >= MAX_READS) return;
  reads += 1;
  const { mappings, sources } = JSON.parse(readFileSync(url, 'utf8')) as { mappings: string; sources: string[] };
  findOrigins(mappings, places);
  for (const { text, source, sourceLine, sourceColumn } of places) {
    const path = sources[source];
    if (typeof path !== 'string') continue;
    known.set(text, `${decodeURIComponent(new URL(path, url).pathname)}:${sourceLine + 1}:${sourceColumn + 1}`);
  }
}

/**
 * Reads the mappings of a source map. Each line ends with `;`, each segment with `,`; its numbers are differences to the segment before,
 * in base 64 with five bits in a digit and the sign in the last bit.
 *
 * @see https://tc39.es/ecma426/#sec-mappings
 */
function findOrigins(mappings: string, places: readonly Place[]): void {
  // Column in the bundle; source, and line and column in it; name.
  const segment: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  let field = 0;
  let value = 0;
  let shift = 0;
  let line = 0;
  for (let at = 0; at <= mappings.length; at += 1) {
    const code = at < mappings.length ? mappings.charCodeAt(at) : 59;
    if (code === 44 || code === 59) {
      for (const place of places) {
        // The last segment before the place.
        if (field === 0 || place.line !== line || place.column < segment[0]) continue;
        place.source = field > 3 ? segment[1] : -1;
        place.sourceLine = segment[2];
        place.sourceColumn = segment[3];
      }
      field = 0;
      if (code === 44) continue;
      segment[0] = 0;
      line += 1;
    } else {
      const digit = digitOf(code);
      value += (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      segment[field] = (segment[field] ?? 0) + (value & 1 ? -(value >>> 1) : value >>> 1);
      field += 1;
      value = 0;
      shift = 0;
    }
  }
}

/** `A` to `Z`, `a` to `z`, `0` to `9`, `+`, `/`. */
function digitOf(code: number): number {
  if (code > 96) return code - 71;
  if (code > 64) return code - 65;
  if (code > 47) return code + 4;
  return code === 43 ? 62 : 63;
}
