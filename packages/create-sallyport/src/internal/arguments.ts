import { parseArgs } from 'node:util';
import { callingManager, MANAGERS, type PackageManager } from './managers.js';
import { type INFRAS, isTemplate, TEMPLATES, type TemplateName } from './templates.js';

export type Infra = (typeof INFRAS)[number];

/** The arguments of a `create` command. */
export interface Request {
  /** Absent if not given. */
  readonly directory: string | undefined;
  readonly name: string | undefined;
  readonly template: TemplateName | undefined;
  readonly infra: Infra;
  readonly packageManager: PackageManager;
  readonly install: boolean;
  readonly git: boolean;
  /** True if the command must not prompt. */
  readonly yes: boolean;
}

export type Command =
  | { readonly kind: 'help' | 'version' | 'list' }
  | { readonly kind: 'usage'; readonly problem: string }
  | { readonly kind: 'add'; readonly addition: string; readonly name: string }
  | { readonly kind: 'create'; readonly request: Request };

const FLAGS = {
  add: { type: 'string' },
  template: { type: 'string' },
  name: { type: 'string' },
  infra: { type: 'string' },
  'package-manager': { type: 'string' },
  install: { type: 'boolean' },
  git: { type: 'boolean' },
  yes: { type: 'boolean' },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

/**
 * Reads the command line.
 *
 * @param caller the calling package manager, from `npm_config_user_agent`: `pnpm/12.21.0 npm/? node/v20.20.2`
 */
export function parseCommand(args: readonly string[], caller = ''): Command {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return usage((error as Error).message.replace(/\n.*/s, ''));
  }
  const { values, positionals, tokens } = parsed;
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  const repeated = given.find((name, at) => given.indexOf(name) < at);
  if (repeated !== undefined) return usage(`--${repeated} is given twice`);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  if (values.list) return { kind: 'list' };
  if (values.add !== undefined) {
    const others = given.filter((name) => name !== 'add' && name !== 'yes');
    if (others.length > 0) return usage(`--add cannot be used with --${others[0]}`);
    if (positionals.length !== 1) return usage(`--add needs one name: --add queue invoices`);
    return { kind: 'add', addition: values.add, name: positionals[0] as string };
  }
  if (positionals.length > 1) return usage(`pass one directory (got ${positionals.join(' ')})`);
  const { template, infra = 'cdk', 'package-manager': named = callingManager(caller) } = values;
  if (template !== undefined && !isTemplate(template)) {
    return usage(`--template must be one of ${Object.keys(TEMPLATES).join(', ')} (got "${template}")`);
  }
  if (infra !== 'cdk' && infra !== 'none') return usage(`--infra must be "cdk" or "none" (got "${infra}")`);
  const manager = MANAGERS.find((one) => one === named);
  if (manager === undefined) return usage(`--package-manager must be one of ${MANAGERS.join(', ')} (got "${named}")`);
  const { name, install = false, git = false, yes = false } = values;
  const [directory] = positionals;
  return { kind: 'create', request: { directory, name, template, infra, packageManager: manager, install, git, yes } };
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: FLAGS, allowPositionals: true, strict: true, tokens: true });
}

function usage(problem: string): Command {
  return { kind: 'usage', problem };
}
