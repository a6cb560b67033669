// The page and the table of all kinds of events.
import { ofTrigger } from '../../packages/constructs/src/wiring/internal/registrations.js';
import type { DetectionCondition } from '../../packages/dispatch/src/rows.js';
import { ROWS } from '../../packages/dispatch/src/rows.js';
import type { CatalogueEntry } from '../../packages/triggers/src/catalogue/entry.js';
import { ENTRIES } from './trigger-files.js';
import { FIXED_KINDS, LEFT_OUT } from './trigger-kinds-data.js';

/** One row of the table. */
interface KindRow {
  readonly kind: string;
  readonly recognized: string;
  readonly author: string;
  readonly failure: string;
  readonly answer: string;
  readonly limit: string;
  readonly construct: string;
}

const EDGE: KindRow = {
  kind: '[`edgeHandler`](triggers.md#cloudfront-lambdaedge)',
  recognized: 'a separate function, outside containers',
  author: 'CloudFront; a viewer wrote the request',
  failure: 'CloudFront answers 502',
  answer: 'request or response',
  limit:
    '[40 KB for viewer events, 1 MB for origin events](https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html#limits-lambda-at-edge)',
  construct: 'none: the behaviour of the distribution names the version',
};

function kindRows(): readonly KindRow[] {
  const fixed = ROWS.map(({ kind, anyOf, projection }): KindRow => {
    const { page, ...facts } = FIXED_KINDS[kind];
    return { kind: `[\`${kind}\`](${page})`, recognized: conditionsOf(anyOf), answer: projection, ...facts };
  });
  const optIn = [...ENTRIES.values()].map((entry): KindRow => {
    const { kind, anyOf, answer, aws, docs, sample } = entry;
    return {
      kind: `[\`${kind}\`](triggers.md#${anchorOf(docs.section)})`,
      recognized:
        sample.alias === undefined ? conditionsOf(anyOf) : 'the alias of the invocation, which the registration names',
      author: aws.author,
      failure: aws.failure,
      answer,
      limit: aws.limit,
      construct: constructOf(entry),
    };
  });
  return [...fixed, ...optIn, EDGE];
}

function constructOf({ kind, construct, aws }: CatalogueEntry): string {
  if (construct === null) return `none: ${aws.attached ?? 'the service'} names the function`;
  return `\`${/^wiring\.\w+/.exec(ofTrigger({ kind, name: kind }).remedy)?.[0] ?? construct}\``;
}

/** Alternatives that differ only in the string of one condition are written once. */
function conditionsOf(anyOf: readonly (readonly DetectionCondition[])[]): string {
  const texts = new Map<string, string[][]>();
  for (const all of anyOf) {
    const shape = all.map(({ path, test }) => `${path} ${test}`).join();
    texts.set(shape, [...(texts.get(shape) ?? []), all.map(conditionOf)]);
  }
  const merged = [...texts.values()].map((alternatives) =>
    (alternatives[0] ?? []).map((_first, index) => {
      const [name, ...values] = [...new Set(alternatives.map((all) => all[index] ?? ''))];
      return [name, ...values.map((one) => one.slice(one.indexOf('= ') + 2))].join(' or ');
    }),
  );
  return merged.map((all) => all.join(', ')).join('; or ');
}

function conditionOf({ path, test, value }: DetectionCondition): string {
  if (test === 'equals') return `\`${path}\` = \`${value}\``;
  if (test === 'absent') return `no \`${path}\``;
  if (test === 'url_domain') return `\`${path}\` of a function URL`;
  if (test === 'not_url_domain') return `\`${path}\` not of a function URL`;
  return test === 'object' ? `\`${path}\` an object` : `\`${path}\``;
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

const HEADS = [
  'kind',
  'recognized by',
  'author',
  'after an error or a timeout',
  'answer',
  'largest answer',
  'construct',
];

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** `docs/trigger-kinds.md`. */
export function renderKindsPage(): string {
  const rows = kindRows().map(({ kind, recognized, author, failure, answer, limit, construct }) => {
    return [kind, recognized, author, failure, answer, limit, construct];
  });
  return [
    '# All kinds of events',
    '',
    '<!-- Made by `npm run docs` from the detection table, the catalogue of triggers and scripts/docs/trigger-kinds-data.ts. -->',
    '',
    'One entrypoint serves every kind of this table, and rejects any other event.',
    'The rows until `gateway-v1` are tried in this order, then the opt-in rows in the order of the option `surfaces`.',
    'No published event satisfies two rows, so that this order only matters for events that no service sends.',
    'A member that names a version selects nothing: an event of another version is served, or is rejected because of a missing member.',
    'An alias is checked before all rows, because only AWS Lambda writes the ARN of an invocation.',
    'A batch with a tumbling window satisfies the row of its stream, and an API operation of an agent that of a REST API; their surfaces receive them.',
    '',
    table(HEADS, rows),
    '',
    'The author is the origin of the members of an event: treat these parts as input of that origin, even if the kind is certain.',
    '`Lambda retries twice` is the behaviour of an [asynchronous invocation](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html).',
    'An answer of 6 MB is the [limit of a synchronous invocation](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).',
    'For a kind without a construct, list the resource in [`external`](deploy-cdk.md) of the stack.',
    '',
    '## Services that are left out',
    '',
    table(
      ['service', 'notice'],
      LEFT_OUT.map(({ service, notice, source }) => [service, `[${notice}](${source})`]),
    ),
    '',
    '## Safe by default, and what it costs on AWS',
    '',
    '- An event that matches no row, and an event whose trigger is not registered, runs no handler.',
    '- The kinds of AWS IoT rules, Pipes and Step Functions have no row: an event can only arrive through an alias that you name.',
    '- AWS bills each invocation, even if it is rejected, and each retry ([pricing](https://aws.amazon.com/lambda/pricing/)).',
    '  Limit the permissions of the function to the services of this table that you use.',
    '',
  ].join('\n');
}

const MARKED = /<!-- kinds -->\n[\s\S]*?<!-- \/kinds -->/;

/** The short table of kinds in the README of the package. */
export function renderKindsTable(text: string): string {
  const rows = kindRows().map(({ kind, author, failure, limit }) => {
    return [kind.replace('](', '](../../docs/'), author, failure, limit];
  });
  const heads = ['kind', 'author', 'after an error or a timeout', 'largest answer'];
  return text.replace(MARKED, () => `<!-- kinds -->\n${table(heads, rows)}\n<!-- /kinds -->`);
}
