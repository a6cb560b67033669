import type { SendField } from '../../src/internal/console/api.js';

/** The entered values, by field. */
export type Typed = Readonly<Record<string, string>>;

/**
 * The options of a builder from the entered values; empty fields are omitted.
 *
 * @throws Error for input that its field does not accept
 */
export function toOptions(fields: readonly SendField[], typed: Typed): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? field.sample ?? '';
    if (text.trim() === '') {
      if (field.required) throw new Error(`${field.name} is needed: ${field.wanted}`);
      continue;
    }
    options[field.name] = toValue(field, text);
  }
  return options;
}

function toValue({ name, type }: SendField, text: string): unknown {
  switch (type) {
    case 'text':
      return text;
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'list':
      return linesOf(text);
    case 'map':
      return toMap(name, linesOf(text));
    case 'json':
      return parse(name, text);
  }
}

/** Parses `name: value` lines; a repeated name has all its values. */
function toMap(field: string, lines: readonly string[]): Readonly<Record<string, string | string[]>> {
  const map: Record<string, string | string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`${field}: enter one "name: value" per line`);
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    const before = Object.hasOwn(map, name) ? map[name] : undefined;
    map[name] = before === undefined ? value : [before, value].flat();
  }
  return map;
}

function parse(field: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`${field} is not JSON`);
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
