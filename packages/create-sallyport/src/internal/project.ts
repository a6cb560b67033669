import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Infra } from './arguments.js';
import { type PackageManager, WAYS } from './managers.js';
import { createManifest, readVersions } from './manifest.js';
import type { Names } from './names.js';
import { TEMPLATES, type TemplateName } from './templates.js';

/** The choices for a project. */
export interface ProjectSpec {
  readonly names: Names;
  readonly template: TemplateName;
  readonly infra: Infra;
  readonly packageManager: PackageManager;
}

const FOLDER = fileURLToPath(new URL('../../templates', import.meta.url));
/** Files that npm renames or does not pack are stored with `_` for the dot. */
const DOTTED = ['_gitignore', '_editorconfig', '_github', '_vscode', '_biome.json'];
/** Files that exist only with infrastructure. */
const INFRA = /^infra\/|-stack\.test\.ts$/;

/** Returns every file of a project by its path. Equal choices return equal files. */
export function createProject(spec: ProjectSpec): ReadonlyMap<string, string> {
  const { names, template, infra, packageManager } = spec;
  const words = placeholders(spec);
  const files = new Map<string, string>();
  for (const part of ['base', ...(infra === 'cdk' ? ['cdk'] : []), ...TEMPLATES[template].parts]) {
    for (const path of filesOf(join(FOLDER, part))) {
      const target = dotted(path);
      if (infra === 'cdk' || !INFRA.test(target))
        files.set(target, fill(readFileSync(join(FOLDER, part, path), 'utf8'), words));
    }
  }
  files.set('package.json', toJson(createManifest(names, TEMPLATES[template], infra, packageManager)));
  for (const [path, text] of Object.entries(WAYS[packageManager].settings)) files.set(path, text);
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join(posix.sep),
    );
}

function dotted(path: string): string {
  const [first = '', ...rest] = path.split('/');
  return [DOTTED.includes(first) ? `.${first.slice(1)}` : first, ...rest]
    .join('/')
    .replace(/^\.biome\.json$/, 'biome.json');
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The value of each placeholder. */
function placeholders({ names, infra, packageManager }: ProjectSpec): Readonly<Record<string, string>> {
  const run = `${packageManager} run`;
  const { cdkCommand } = readVersions();
  const withCdk = infra === 'cdk';
  return {
    __APP_NAME__: names.app,
    __CLASS_NAME__: names.class,
    __RUN__: run,
    __AND_TEMPLATE__: withCdk ? ', template' : '',
    __INFRA_ROW__: withCdk
      ? '| `infra/stack.ts` | the stack: a handler of a queue, a stream or a schedule needs its line in `sources` |\n'
      : '',
    __CI_INSTALL__: WAYS[packageManager].ciInstall,
    __CI_RUN__: WAYS[packageManager].ciRun,
    __DEPLOY__: withCdk
      ? `\n\`\`\`sh\n${run} synth     # the bundle and the template, into cdk.out: no account is needed
STAGE=preview ${run} deploy   # a copy that destroy removes completely\n${run} deploy    # with the credentials of your shell, by aws-cdk ${cdkCommand}\n${run} destroy   # removes it\n\`\`\``
      : '\nAll files of `dist/` together are the function; its handler is `index.handler`, its runtime `nodejs24.x`. Deploy them with any tool that supports Lambda.',
  };
}

/** Replaces every placeholder; placeholders in the inserted values are not replaced. */
function fill(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/__[A-Z]+(?:_[A-Z]+)*__/g, (word) =>
    Object.hasOwn(words, word) ? (words[word] ?? '') : word,
  );
}
