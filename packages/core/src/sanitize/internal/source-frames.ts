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
  readonly place: string;
  /** From 0. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
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
  const matches = frames.map((frame) => FRAME.exec(frame));
  readMaps(matches.filter((match) => match !== null));
  return frames.map((frame, index) => {
    const [, place = ''] = matches[index] ?? [];
    const source = known.get(place);
    return source ? frame.replace(place, () => source) : frame;
  });
}

/** Finds all places that are not known yet, with one pass over each map. */
function readMaps(matches: readonly RegExpExecArray[]): void {
  if (known.size > MAX_PLACES) known.clear();
  const files = new Map<string, Place[]>();
  for (const [, place = '', file = '', line, column] of matches) {
    if (known.has(place)) continue;
    // Until it is found: a broken map is not read again for this place.
    known.set(place, undefined);
    const places = files.get(file) ?? [];
    places.push({ place, line: Number(line) - 1, column: Number(column) - 1 });
    files.set(file, places);
  }
  for (const [file, places] of files) {
    try {
      mapPlaces(file, places);
    } catch {
      // The map is broken.
    }
  }
}

function mapPlaces(file: string, places: Place[]): void {
  const map = readMap(file);
  if (map === undefined) return;
  places.sort((a, b) => a.line - b.line || a.column - b.column);
  findOrigins(map.mappings, places, (place, source, line, column) => {
    const path = map.sources[source];
    if (typeof path !== 'string') return;
    const { pathname } = new URL(path, map.url);
    known.set(place, `${decodeURIComponent(pathname)}:${line + 1}:${column + 1}`);
  });
}

interface ReadMap {
  readonly url: URL;
  readonly mappings: string;
  readonly sources: readonly unknown[];
}

function readMap(file: string): ReadMap | undefined {
  const { statSync, readFileSync } = process.getBuiltinModule('node:fs');
  const url = file.startsWith('file:')
    ? new URL(`${file}.map`)
    : process.getBuiltinModule('node:url').pathToFileURL(`${file}.map`);
  const found = statSync(url, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_MAP_BYTES || reads >= MAX_READS) return undefined;
  reads += 1;
  const { mappings, sources } = JSON.parse(readFileSync(url, 'utf8')) as Partial<ReadMap>;
  return typeof mappings === 'string' && Array.isArray(sources) ? { url, mappings, sources } : undefined;
}

/**
 * Reads the mappings of a source map until the origins of all places are found. Each line ends with `;`, each segment with `,`; its numbers
 * are differences to the segment before, in base 64 with five bits in a digit and the sign in the last bit.
 *
 * @param places in the order of the file
 * @see https://tc39.es/ecma426/#sec-mappings
 */
function findOrigins(
  mappings: string,
  places: readonly Place[],
  report: (place: string, source: number, line: number, column: number) => void,
): void {
  // Column in the bundle; source, line and column of the origin; name.
  const segment = [0, 0, 0, 0, 0];
  let origin: readonly number[] | undefined;
  let field = 0;
  let value = 0;
  let shift = 0;
  let line = 0;
  let next = 0;
  const reportUntil = (column: number): void => {
    for (let place = places[next]; place?.line === line && place.column < column; place = places[++next]) {
      if (origin) report(place.place, ...(origin as [number, number, number]));
    }
  };
  for (let at = 0; at <= mappings.length && next < places.length; at += 1) {
    const code = mappings.charCodeAt(at);
    if (code !== 44 && code !== 59 && at < mappings.length) {
      const digit = digitOf(code);
      value += (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      segment[field] = (segment[field] ?? 0) + (value & 1 ? -(value >>> 1) : value >>> 1);
      field += 1;
      value = 0;
      shift = 0;
      continue;
    }
    if (field > 0) {
      reportUntil(segment[0] ?? 0);
      origin = field > 3 ? segment.slice(1, 4) : undefined;
      field = 0;
    }
    if (code === 44) continue;
    reportUntil(Number.POSITIVE_INFINITY);
    origin = undefined;
    segment[0] = 0;
    line += 1;
  }
}

/** `A` to `Z`, `a` to `z`, `0` to `9`, `+`, `/`. */
function digitOf(code: number): number {
  if (code > 96) return code - 71;
  if (code > 64) return code - 65;
  if (code > 47) return code + 4;
  return code === 43 ? 62 : 63;
}
