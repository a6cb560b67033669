/** A kind of project. */
export interface Template {
  /** One line for `--list`. */
  readonly shows: string;
  /** Folders of `templates/`, laid over each other in this order. */
  readonly parts: readonly string[];
  /** Packages of ours that its code imports. */
  readonly packages: readonly string[];
}

/** Every kind of project that can be made. */
export const TEMPLATES = {
  api: {
    shows: 'an HTTP API: postures, tokens, validation',
    parts: ['notes', 'api'],
    packages: ['core', 'http', 'secure'],
  },
  events: {
    shows: 'two queues, a data stream and a schedule: partial failures, retries',
    parts: ['orders', 'events'],
    packages: ['secure', 'streams'],
  },
  full: {
    shows: 'both in one function',
    parts: ['notes', 'orders', 'full'],
    packages: ['core', 'http', 'secure', 'streams'],
  },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof TEMPLATES;

export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATES, name);
}

/** Ways to deploy that a project can bring. */
export const INFRAS = ['cdk', 'none'] as const;

/** Package managers that a project can be made for. */
export const MANAGERS = ['npm', 'pnpm'] as const;
