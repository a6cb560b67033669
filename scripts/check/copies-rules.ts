/** One place whose result depends on the identity of a copy, and its name in the gate. */
export interface Finding {
  readonly file: string;
  /** The name in its reason: a class, a constant, a key. */
  readonly name: string;
  readonly what: string;
}

/** A reason to accept such a place. */
export interface Reason {
  readonly file: string;
  readonly name: string;
  readonly why: string;
}

/** A registry, class or symbol at the outermost level of a module: one for each copy of the package. */
const REGISTRY =
  /^(?:export )?(?:const|let) (\w+).*=\s*(?:\/\*.*?\*\/\s*)?new (WeakMap|WeakSet|Map|Set|AsyncLocalStorage)\b(?:<.*>)?\(\s*\)/gm;
const STATIC_REGISTRY =
  /^\s+static (?:readonly )?(#?\w+).*= new (WeakMap|WeakSet|Map|Set|AsyncLocalStorage)\b(?:<.*>)?\(\s*\)/gm;
const SYMBOL = /^(?:export )?const (\w+).*= (?:\/\*.*?\*\/ )?Symbol\(/gm;
const TYPE_SYMBOL = /^(?:export )?declare const (\w+): unique symbol/gm;
const PRIVATE_CHECK = /(#\w+) in \b/g;
const INSTANCE = /\binstanceof (\w+)/g;
const KEY = /\bSymbol\.for\(\s*(['"`])((?:sallyport|framework)[^'"`]*)\1/g;
const VERSIONED = /^sallyport\.[\w.-]+(?:\$\{\w+\}|\/\d+)$/;

/**
 * Places in packages whose result depends on the copy of the package that created a value: another copy of the same package has other classes,
 * registries, private members and symbols.
 *
 * @param files sources by path
 */
export function findCopyChecks(files: ReadonlyMap<string, string>): readonly Finding[] {
  const texts = [...files].map(([file, text]): [string, string] => [file, withoutComments(text)]);
  const all = texts.map(([, text]) => text).join('\n');
  const branded = new Set([...all.matchAll(/\bbrandError\((\w+),/g)].map(([, name]) => name));
  const own = new Set([...all.matchAll(/\bclass (\w+)/g)].map(([, name]) => name));
  return texts.flatMap(([file, text]) => [
    ...namesOf(text, REGISTRY).map(([name, kind]) => ({
      file,
      name,
      what: `a ${kind} of this copy of the package alone`,
    })),
    ...namesOf(text, STATIC_REGISTRY).map(([name, kind]) => ({
      file,
      name,
      what: `a ${kind} of this copy of the class alone`,
    })),
    ...namesOf(text, SYMBOL).map(([name]) => ({ file, name, what: 'a symbol of this copy of the package alone' })),
    ...namesOf(text, TYPE_SYMBOL).map(([name]) => ({ file, name, what: 'a type of this copy of the package alone' })),
    ...namesOf(text, PRIVATE_CHECK).map(([name]) => ({
      file,
      name,
      what: 'a private member of this copy of the class alone',
    })),
    ...instances(text)
      .filter(([name]) => own.has(name) && !branded.has(name))
      .map(([, as]) => as)
      .map((name) => ({ file, name, what: 'instanceof of a class without a brand' })),
    ...[...text.matchAll(KEY)]
      .map(([, , key = '']) => key)
      .filter((key) => !VERSIONED.test(key))
      .map((name) => ({ file, name, what: 'a shared key without a version: sallyport.<package>.<what>/1' })),
  ]);
}

/** Compares findings and reasons: a finding needs a reason, and a reason a finding. */
export function judgeCopyChecks(findings: readonly Finding[], reasons: readonly Reason[]): readonly string[] {
  const isFor = (reason: Reason, finding: Finding) => reason.file === finding.file && reason.name === finding.name;
  const unexplained = findings.filter((finding) => !reasons.some((reason) => isFor(reason, finding)));
  const useless = reasons.filter((reason) => !findings.some((finding) => isFor(reason, finding)));
  return [
    ...new Set(
      unexplained.map(
        ({ file, name, what }) =>
          `${file}: ${name}: ${what}; use a versioned Symbol.for key or brandError(), or give a reason in copies-policy.ts`,
      ),
    ),
    ...useless.map(({ file, name }) => `${file}: ${name}: copies-policy.ts gives a reason for what is not there`),
  ];
}

function namesOf(text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map(([, name = '', kind = '']) => [name, kind]);
}

/** The class of each `instanceof`, and its name in the file; classes of other packages are left out. */
function instances(text: string): [string, string][] {
  const found = [...new Set([...text.matchAll(INSTANCE)].map(([, name = '']) => name))];
  return found.flatMap((name): [string, string][] => {
    const origin = new RegExp(`import [^;]*\\b${name}\\b[^;]*from '([^']+)'`).exec(text)?.[1];
    const alias = new RegExp(`import [^;]*\\b(\\w+) as ${name}\\b`).exec(text)?.[1];
    const isForeign = origin !== undefined && !/^(?:\.|@sallyport\/)/.test(origin);
    return isForeign ? [] : [[alias ?? name, name]];
  });
}

/** Removes comments, which contain only examples. Lines are kept. */
function withoutComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/^\s*\/\/.*$/gm, '');
}
