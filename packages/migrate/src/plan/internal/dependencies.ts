import { FRAMEWORKS } from '../../frameworks/internal/service.js';
import type { Mapping } from '../../mapping/mapping.js';

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)(['"])([^'"\n]+)\1/g;
/** Types and parts of the old frameworks. */
const COMPANIONS: Readonly<Record<string, string>> = { express: '@types/express', cors: '@types/cors' };

function packagesIn(texts: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [, , module = ''] of text.matchAll(IMPORT)) {
      if (module.startsWith('.') || module.startsWith('node:')) continue;
      const parts = module.split('/');
      found.add(parts.slice(0, module.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return found;
}

/** The dependencies that the rewritten code no longer has, and its new dependencies. */
export function changedPackages(before: Iterable<string>, after: Iterable<string>): NonNullable<Mapping['packages']> {
  const old = packagesIn(before);
  const now = packagesIn(after);
  const known = FRAMEWORKS.flatMap(({ modules, middlewares }) => [...modules, ...Object.keys(middlewares)]);
  const isOld = (name: string) =>
    known.some((one) => one.split('#', 1)[0] === name || one.startsWith(`${name}/`) || name.startsWith(`${one}/`));
  const remove = [...old].filter((name) => isOld(name) && !now.has(name));
  const types = remove.flatMap((name) => COMPANIONS[name] ?? []);
  const added = [...now].filter((name) => name.startsWith('@sallyport/') && !old.has(name));
  return { remove: [...remove, ...types], add: Object.fromEntries(added.map((name) => [name, 'latest'])) };
}
