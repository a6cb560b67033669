import ts from 'typescript';
import type { Edit } from '../../internal/edits.js';
import type { Mapping } from '../../mapping/mapping.js';

const SECTIONS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * Changes the dependencies of one `package.json`: added packages replace removed packages, each in its section, and kept packages
 * have their new ranges. A file without any of these packages is unchanged.
 *
 * @returns no edits if the file is not JSON
 */
export function packageEdits(text: string, mapping: Mapping): readonly Edit[] {
  const { remove = [], add = {}, raise = {} } = mapping.packages ?? {};
  const file = ts.parseJsonText('package.json', text);
  const root = file.statements[0]?.expression;
  if (!root || !ts.isObjectLiteralExpression(root) || !isJson(text)) return [];
  const present = new Set(
    root.properties.flatMap((one) => (isSection(one) ? Object.keys(valuesOf(one.initializer)) : [])),
  );
  return root.properties.filter(isSection).flatMap((section) => {
    const values = valuesOf(section.initializer);
    const replaces = Object.keys(values).some((name) => remove.includes(name));
    const raises = Object.entries(values).some(([name, range]) => (raise[name] ?? range) !== range);
    if (!replaces && !raises) return [];
    const kept = Object.entries(values)
      .filter(([name]) => !remove.includes(name))
      .map(([name, range]) => [name, raise[name] ?? range] as const);
    const added = replaces ? Object.entries(add).filter(([name]) => !present.has(name)) : [];
    const all = [...kept, ...added];
    const after = replaces ? all.sort(([a], [b]) => (a < b ? -1 : 1)) : all;
    const { initializer } = section;
    return [
      { start: initializer.getStart(file), end: initializer.end, text: write(after, text, section.getStart(file)) },
    ];
  });
}

type Section = ts.PropertyAssignment & { readonly initializer: ts.ObjectLiteralExpression };

function isSection(node: ts.ObjectLiteralElementLike): node is Section {
  if (!ts.isPropertyAssignment(node) || !ts.isStringLiteral(node.name)) return false;
  return SECTIONS.includes(node.name.text) && ts.isObjectLiteralExpression(node.initializer);
}

function valuesOf({ properties }: ts.ObjectLiteralExpression): Readonly<Record<string, string>> {
  const pairs = properties.flatMap((one): [string, string][] => {
    if (!ts.isPropertyAssignment(one) || !ts.isStringLiteral(one.name) || !ts.isStringLiteral(one.initializer))
      return [];
    return [[one.name.text, one.initializer.text]];
  });
  return Object.fromEntries(pairs);
}

/** An object in the indentation of its file. */
function write(pairs: readonly (readonly [string, string])[], text: string, start: number): string {
  if (pairs.length === 0) return '{}';
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /^[ \t]*$/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))?.[0] ?? '  ';
  const lines = pairs.map(([name, range]) => `${indent}${indent}${JSON.stringify(name)}: ${JSON.stringify(range)}`);
  return `{${newLine}${lines.join(`,${newLine}`)}${newLine}${indent}}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}
