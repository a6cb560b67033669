import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Infra, PackageManager } from './arguments.js';
import { createManifest, readVersions } from './manifest.js';
import type { Names } from './names.js';
import { TEMPLATES, type TemplateName } from './templates.js';

/** What a project is made of. */
export interface ProjectSpec {
  readonly names: Names;
  readonly template: TemplateName;
  readonly infra: Infra;
  readonly packageManager: PackageManager;
}

const FOLDER = fileURLToPath(new URL('../../templates', import.meta.url));
/** Names that npm renames or leaves out when it packs are stored with `_` for the dot. */
const DOTTED = ['_gitignore', '_editorconfig', '_github', '_biome.json'];
/** Only with infrastructure. */
const INFRA = /^infra\/|-stack\.test\.ts$/;

/** Every file of a project by its path, always the same for the same answers. */
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
  // Of its own workspace, wherever it lies; and the one package whose set-up has to run.
  if (packageManager === 'pnpm') files.set('pnpm-workspace.yaml', 'allowBuilds:\n  esbuild: true\n');
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

/** What stands for each placeholder. */
function placeholders({ names, infra, packageManager }: ProjectSpec): Readonly<Record<string, string>> {
  const run = `${packageManager} run`;
  const { cdkCommand } = readVersions();
  const withCdk = infra === 'cdk';
  return {
    __APP_NAME__: names.app,
    __CLASS_NAME__: names.class,
    __RUN__: run,
    __AND_TEMPLATE__: withCdk ? ', template' : '',
    __INFRA_ROW__: withCdk ? '| `infra/` | the stack of the CDK |\n' : '',
    __INSTALL__: packageManager === 'pnpm' ? 'npx --yes pnpm install' : 'npm install',
    __DEPLOY__: withCdk
      ? `\n\`\`\`sh\n${run} synth     # the template, into cdk.out: no account is needed\n${run} deploy    # with the credentials of your shell, by aws-cdk ${cdkCommand}\n${run} destroy   # removes it\n\`\`\``
      : '\nAll files of `dist/` together are the function; its handler is `index.handler`. Any tool that knows Lambda will do.',
  };
}

/** Replaces every placeholder once; what stands for it is not searched again. */
function fill(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/__[A-Z]+(?:_[A-Z]+)*__/g, (word) =>
    Object.hasOwn(words, word) ? (words[word] ?? '') : word,
  );
}
