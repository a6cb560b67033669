import { escapeHtml, membersOf } from '@sallyport/core/internal';

/** The style of the page. Its hash is in the policy of the page. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d0d4da, #454b55); --soft: light-dark(#f4f5f7, #1d2127); --quiet: light-dark(#50565f, #a9b1bc); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px; max-width: 60rem; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #14171b); color: light-dark(#1b1f24, #e6e9ed); overflow-wrap: anywhere; }
a { color: light-dark(#0b57b0, #8cbcff); }
:focus-visible { outline: 3px solid light-dark(#0b57b0, #8cbcff); outline-offset: 2px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; padding: 0 12px; }
summary { padding: 10px 0; cursor: pointer; min-height: 24px; }
h1 { font-size: 1.6rem; margin: 8px 0; } h2 { font-size: 1.2rem; margin: 24px 0 8px; } h3 { font-size: 1rem; margin: 16px 0 4px; }
dl { margin: 0; } dt { font-weight: 600; } dd { margin: 0 0 8px; }
pre { background: var(--soft); padding: 12px; border-radius: 6px; overflow-x: auto; margin: 4px 0 12px; font: 14px/1.45 ui-monospace, monospace; overflow-wrap: normal; }
code { font-family: ui-monospace, monospace; }
.quiet { color: var(--quiet); }
`;

type Members = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const text = (value: unknown) => (typeof value === 'string' ? escapeHtml(value) : '');

/**
 * The page of an OpenAPI document: each operation is closed until it is opened, without a script.
 *
 * @param link the address of the document, relative to the page
 */
export function toPage(document: Members, link: string): string {
  const info = membersOf(document.info);
  const title = text(info.title) || 'Operations';
  const operations = Object.entries(membersOf(document.paths)).flatMap(([path, item]) =>
    METHODS.filter((method) => Object.hasOwn(membersOf(item), method)).map((method) =>
      operationText(document, `${method.toUpperCase()} ${path}`, {
        parameters: membersOf(item).parameters,
        ...membersOf(membersOf(item)[method]),
      }),
    ),
  );
  const schemas = Object.entries(membersOf(membersOf(document.components).schemas)).map(
    ([name, schema]) =>
      `<details><summary><code>${escapeHtml(name)}</code></summary>${jsonText(schema, name)}</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title} <span class="quiet">${text(info.version)}</span></h1>
${paragraph(info.description)}<p><a href="${escapeHtml(link)}">OpenAPI document</a></p>
</header>
<main>
<h2>Operations <span class="quiet">${operations.length}</span></h2>
${operations.join('\n')}
${schemas.length > 0 ? `<h2>Schemas <span class="quiet">${schemas.length}</span></h2>\n${schemas.join('\n')}` : ''}
</main>
</body>
</html>
`;
}

const paragraph = (value: unknown) =>
  typeof value === 'string' && value !== '' ? `<p>${escapeHtml(value)}</p>\n` : '';

function operationText(document: Members, name: string, operation: Members): string {
  const [method = '', path = ''] = name.split(' ', 2);
  const { summary, description, parameters, requestBody, responses } = operation;
  const listed = (Array.isArray(parameters) ? parameters : []).map((one) => resolve(document, one));
  const answers = Object.entries(membersOf(responses)).map(
    ([status, one]) => [status, resolve(document, one)] as const,
  );
  const body = resolve(document, requestBody);
  return `<details>
<summary><b>${escapeHtml(method)}</b> <code>${escapeHtml(path)}</code> <span class="quiet">${text(summary)}</span></summary>
${paragraph(description)}${accessText(operation)}${
  listed.length > 0 ? `<h3>Parameters</h3><dl>${listed.map(parameterText).join('')}</dl>` : ''
}${body.content === undefined ? '' : `<h3>Body</h3>${contentText(body.content, `Body of ${name}`)}`}<h3>Answers</h3>
${answers.map(([status, one]) => answerText(status, one, name)).join('\n')}
</details>`;
}

/** The access rule, as the container writes it. */
function accessText({ 'x-framework-auth-posture': posture, 'x-framework-required-scopes': scopes }: Members): string {
  if (typeof posture !== 'string') return '';
  const needed = Array.isArray(scopes) ? ` with ${scopes.map((one) => `<code>${text(one)}</code>`).join(', ')}` : '';
  return `<p>Callers: ${escapeHtml(posture.replaceAll('_', ' '))}${needed}</p>\n`;
}

function parameterText({ name, in: place, required, description, schema }: Members): string {
  const { type, format } = membersOf(schema);
  const kind = [text(place), text(type), text(format), required === true ? 'required' : ''].filter(Boolean).join(', ');
  return `<dt><code>${text(name)}</code></dt><dd><span class="quiet">${kind}</span> ${text(description)}</dd>`;
}

function answerText(status: string, { description, content }: Members, name: string): string {
  return `<p><b>${escapeHtml(status)}</b> ${text(description)}</p>${contentText(content, `Answer ${status} of ${name}`)}`;
}

function contentText(content: unknown, label: string): string {
  return Object.entries(membersOf(content))
    .map(([type, media]) => `<p class="quiet">${escapeHtml(type)}</p>${jsonText(membersOf(media).schema, label)}`)
    .join('');
}

/** Content that scrolls must be reachable by key. */
function jsonText(value: unknown, label: string): string {
  if (value === undefined) return '';
  const json = escapeHtml(JSON.stringify(value, null, 2));
  return `<pre tabindex="0" role="region" aria-label="${escapeHtml(label)}">${json}</pre>`;
}

/** The object that a reference such as `#/components/responses/Gone` names, else the object itself. */
function resolve(document: Members, value: unknown): Members {
  const own = membersOf(value);
  if (typeof own.$ref !== 'string' || !own.$ref.startsWith('#/')) return own;
  const keys = own.$ref.slice(2).split('/');
  return keys.reduce<Members>((at, key) => membersOf(at[key.replaceAll('~1', '/').replaceAll('~0', '~')]), document);
}
