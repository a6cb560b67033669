import { readFileSync } from 'node:fs';

/** A handler to add to a project. */
export interface Addition {
  /** The name of the handler in its file: `invoices`. */
  readonly handler: string;
  /** The file of the handler in `src/handlers/`, without its extension: `invoices`. */
  readonly file: string;
  /** The names that `src/app.ts` imports of `@sallyport/secure`. */
  readonly imports: readonly string[];
  /** The registration in `src/app.ts`. */
  readonly registration: string;
  /** The source in `infra/stack.ts`; absent if the stack reads it from the registration. */
  readonly source?: string;
  /** The packages that the handler imports, with their Sallyport scope left out. */
  readonly packages: readonly string[];
  readonly libraries: readonly string[];
  /** The values of the placeholders in the files of the kind. */
  readonly words: Readonly<Record<string, string>>;
}

interface Kind {
  /** The form of the name, for the help. */
  readonly form: string;
  readonly pattern: RegExp;
  readonly libraries: readonly string[];
  readonly packages: readonly string[];
  /** From the groups of the pattern. */
  readonly of: (parts: readonly string[]) => Omit<
    Addition,
    'handler' | 'file' | 'packages' | 'libraries' | 'imports'
  > & {
    /** The name of which the names of handler and file are made. */
    readonly topic: string;
    readonly imports?: readonly string[];
  };
}

/** Names that AWS accepts for queues, streams, topics and rules. */
const NAME = '[A-Za-z][A-Za-z0-9_-]{0,63}';
const named =
  (method: string, source: string) =>
  ([name = '']: readonly string[]) => ({
    topic: name,
    registration: `app.${method}('${name}', HANDLER);`,
    source: `Source.${source}('${name}')`,
    words: { __NAME__: name },
  });

/** The kinds of handlers that `--add` can add. */
export const ADDABLE: Readonly<Record<string, Kind>> = {
  queue: {
    form: 'invoices, or invoices.fifo',
    pattern: new RegExp(`^(${NAME}(?:\\.fifo)?)$`),
    packages: ['streams'],
    libraries: ['zod'],
    of: (parts) => {
      const [name = ''] = parts;
      const __QUEUE__ = name.endsWith('.fifo') ? 'fifo' : 'standard';
      return {
        ...named('queue', 'queue')(parts),
        topic: name.replace('.fifo', ''),
        words: { __NAME__: name, __QUEUE__ },
      };
    },
  },
  topic: {
    form: 'invoices',
    pattern: new RegExp(`^(${NAME})$`),
    packages: ['streams'],
    libraries: ['zod'],
    of: named('topic', 'topic'),
  },
  kinesis: {
    form: 'clicks',
    pattern: new RegExp(`^(${NAME})$`),
    packages: ['streams'],
    libraries: ['zod'],
    of: named('kinesis', 'kinesis'),
  },
  'event-bus': {
    form: 'billing/InvoicePaid: the source and the detail type of the events',
    pattern: /^([A-Za-z][\w.-]{0,63})\/([A-Za-z][\w .-]{0,63})$/,
    packages: ['streams'],
    libraries: ['zod'],
    of: ([source = '', detailType = '']) => {
      const selector = `{ source: '${source}', detailType: '${detailType}' }`;
      return {
        topic: detailType,
        registration: `app.eventBus(${selector}, HANDLER);`,
        source: `Source.eventBus(${selector})`,
        words: { __SOURCE__: source, __DETAIL_TYPE__: detailType },
      };
    },
  },
  schedule: {
    form: 'nightly: the name of the rule',
    pattern: new RegExp(`^(${NAME})$`),
    packages: ['streams'],
    libraries: [],
    of: ([name = '']) => ({
      topic: name,
      registration: `app.eventBus({ ruleName: '${name}' }, HANDLER);`,
      source: `Source.schedule('${name}', Schedule.cron({ hour: '3', minute: '0' }))`,
      words: { __NAME__: name },
    }),
  },
  route: {
    form: '"GET /invoices/{id}": the method and the path',
    pattern: /^(GET|POST|PUT|PATCH|DELETE) (\/[a-z][a-z0-9-]{0,63}(?:\/(?:[a-z][a-z0-9-]*|\{[a-zA-Z]\w*\}))*)$/,
    packages: ['http'],
    libraries: ['zod'],
    of: ([method = '', path = '']) => {
      const [topic = ''] = path.slice(1).split('/');
      const scope = `${topic}:${method === 'GET' ? 'read' : 'write'}`;
      return {
        topic: `${method.toLowerCase()} ${path.replaceAll(/[^A-Za-z0-9]+/g, ' ')}`,
        imports: ['Authenticated'],
        registration: `app.${method.toLowerCase()}('${path}', HANDLER, Authenticated('${scope}'));`,
        words: {
          __METHOD__: method,
          __PATH__: path,
          __SCOPE__: scope,
          __EXAMPLE_PATH__: path.replaceAll(/\{\w+\}/g, '1'),
        },
      };
    },
  },
};

/** Words of JavaScript that cannot be the name of a handler. */
const RESERVED =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|import|in|instanceof|new|null|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|app|options)$/;

/** The addition for a kind and a name, or the problem as a sentence. */
export function additionOf(kindName: string, name: string): Addition | string {
  const kind = Object.hasOwn(ADDABLE, kindName) ? ADDABLE[kindName] : undefined;
  if (kind === undefined) return `--add must be one of ${Object.keys(ADDABLE).join(', ')} (got "${kindName}")`;
  const found = kind.pattern.exec(name);
  if (found === null) return `the name of a ${kindName} must look like ${kind.form} (got "${name}")`;
  const { topic, imports = [], registration, ...rest } = kind.of(found.slice(1));
  const words = topic.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== '');
  const file = words.map((word) => word.toLowerCase()).join('-');
  const plain = words
    .map((word, at) => (at === 0 ? word.toLowerCase() : `${word[0]?.toUpperCase()}${word.slice(1)}`))
    .join('');
  const handler = RESERVED.test(plain) ? `${plain}Handler` : plain;
  const { packages, libraries } = kind;
  return {
    ...rest,
    handler,
    file,
    imports,
    registration: registration.replace('HANDLER', handler),
    packages,
    libraries,
  };
}

/** The new files of an addition, by their paths in the project. */
export function filesOf(kindName: string, { handler, file, words }: Addition): ReadonlyMap<string, string> {
  const all: Readonly<Record<string, string>> = { ...words, __HANDLER__: handler };
  const read = (part: string) =>
    readFileSync(new URL(`../../templates/add/${kindName}/${part}.ts`, import.meta.url), 'utf8').replaceAll(
      /__[A-Z]+(?:_[A-Z]+)*__/g,
      (word) => all[word] ?? word,
    );
  return new Map([
    [`src/handlers/${file}.ts`, read('handler')],
    [`test/${file}.test.ts`, read('case')],
  ]);
}
