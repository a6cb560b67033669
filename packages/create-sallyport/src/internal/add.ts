import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Addition, additionOf, filesOf } from './additions.js';
import { readVersions, withOthers } from './manifest.js';

/** The outcome of `--add`. */
export type Added =
  | { readonly problem: string }
  | { readonly files: readonly string[]; readonly install: readonly string[]; readonly notes: readonly string[] };

/**
 * Adds a handler with its schema, its test, its registration and its source to the project in a folder. Nothing is written unless
 * everything can be.
 */
export function addHandler(folder: string, kind: string, name: string): Added {
  const addition = additionOf(kind, name);
  if (typeof addition === 'string') return { problem: addition };
  const read = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
  const manifest = read('package.json');
  const app = read('src/app.ts');
  if (manifest === undefined || app === undefined) {
    return { problem: 'run --add in the folder of a project: package.json or src/app.ts is missing' };
  }
  const files = new Map(filesOf(kind, addition));
  const taken = [...files.keys()].find((path) => existsSync(join(folder, path)));
  if (taken !== undefined) return { problem: `${taken} exists: choose another name` };
  const registered = register(app, kind, addition);
  if (registered === undefined) {
    return { problem: `src/app.ts has no line "return app;": add ${addition.registration}` };
  }
  files.set('src/app.ts', registered);
  const notes: string[] = [];
  const stack = addition.source === undefined ? undefined : read('infra/stack.ts');
  if (stack !== undefined) {
    const attached = attach(stack, kind, addition.source as string);
    if (attached === undefined) notes.push(`infra/stack.ts: add to sources: ${addition.source}`);
    else files.set('infra/stack.ts', attached);
  }
  const { text, install } = depend(manifest, addition);
  if (install.length > 0) files.set('package.json', text);
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return { files: [...files.keys()], install, notes };
}

const RETURN = /^( *)return app;$/m;
const STREAM_OPTION = `{
    // AWS identifies a failed record of a stream only by its sequence number.
    streamFailureIdentifier: 'sequenceNumber',
    ...options,
  }`;

/** `src/app.ts` with the handler imported and registered. */
function register(app: string, kind: string, { handler, file, imports, registration }: Addition): string | undefined {
  if (!RETURN.test(app)) return undefined;
  let text = app.replace(RETURN, (line, indent: string) => `${indent}${registration}\n${line}`);
  if (kind === 'kinesis' && !text.includes('streamFailureIdentifier')) {
    text = text.replace('new SecureApp(options)', `new SecureApp(${STREAM_OPTION})`);
  }
  if (imports.length > 0) text = importNames(text, '@sallyport/secure', imports);
  return importNames(text, `./handlers/${file}.js`, [handler]);
}

/** `infra/stack.ts` with one more source. */
function attach(stack: string, kind: string, source: string): string | undefined {
  const list = /^( *)sources: \[(.*)\],$/m;
  const end = /^( *)\}\);$/m;
  let text: string;
  if (list.test(stack)) {
    text = stack.replace(list, (_line, indent: string, inside: string) => {
      const one = `${indent}sources: [${inside}, ${source}],`;
      if (one.length <= LINE) return one;
      const members = [...inside.split(/, (?=Source\.|[a-z]+$)/), source];
      return `${indent}sources: [\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}],`;
    });
  } else if (/^ *sources: \[$/m.test(stack)) {
    text = stack.replace(
      /^( *)sources: \[\n(?:\1 .*\n)*/m,
      (whole, indent: string) => `${whole}${indent}  ${source},\n`,
    );
  } else if (end.test(stack)) {
    text = stack.replace(end, (line, indent: string) => `${indent}  sources: [${source}],\n${line}`);
  } else return undefined;
  if (kind === 'schedule') text = importNames(text, 'aws-cdk-lib/aws-events', ['Schedule']);
  return importNames(text, '@sallyport/constructs', ['Source']);
}

/** The width of a line of the formatter. */
const LINE = 120;
const IMPORT = /^import (?:type )?\{ (.*) \} from '(.*)';$/;
const importedName = (member: string) => member.replace(/^type /, '');

/** A module that imports the names, with its imports in the order of the formatter: packages, then files. */
function importNames(text: string, from: string, names: readonly string[]): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => IMPORT.exec(line)?.[2] === from && !line.startsWith('import type'));
  if (at >= 0) {
    const members = IMPORT.exec(lines[at] ?? '')?.[1]?.split(', ') ?? [];
    const all = [...members, ...names.filter((name) => !members.includes(name))];
    all.sort((a, b) => (importedName(a) < importedName(b) ? -1 : 1));
    lines[at] = `import { ${all.join(', ')} } from '${from}';`;
    return lines.join('\n');
  }
  const rank = (path: string) => `${path.startsWith('.') ? 1 : 0}${path.startsWith('@') ? 0 : 1}${path}`;
  const places = lines.flatMap((line, index) => (IMPORT.test(line) ? [index] : []));
  const next = places.find((index) => rank(IMPORT.exec(lines[index] ?? '')?.[2] ?? '') > rank(from));
  lines.splice(next ?? (places.at(-1) ?? -1) + 1, 0, `import { ${names.join(', ')} } from '${from}';`);
  return lines.join('\n');
}

/** `package.json` with the packages that the handler imports, and the names of the new ones. */
function depend(manifest: string, { packages, libraries }: Addition) {
  const value = JSON.parse(manifest) as {
    scripts?: { check?: string };
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  const versionsOfRelease = readVersions();
  const { own, others } = versionsOfRelease;
  const named = packages.map((name) => `@sallyport/${name}`);
  const isYarn = value.scripts?.check?.startsWith('yarn ') === true;
  const wanted = [...(isYarn ? withOthers(named, versionsOfRelease) : named), ...libraries];
  const install = wanted.filter((name) => value.dependencies?.[name] === undefined);
  const versions = Object.fromEntries(install.map((name) => [name, own[name] ?? others[name] ?? '*']));
  const dependencies = Object.entries({ ...value.dependencies, ...versions }).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    install,
    text: `${JSON.stringify({ ...value, dependencies: Object.fromEntries(dependencies) }, null, 2)}\n`,
  };
}
