import { judgeSentences } from './sentences.js';

it.each<[string, string, string]>([
  ['two sentences', 'It reads. It writes.', 'It writes.'],
  ['a question', 'Why? Because.', 'Because.'],
  ['a sentence that begins with code', 'It reads. `a` is next.', '`a` is next.'],
  ['a sentence that begins with a link', 'It reads. [More](b.md).', '[More](b.md).'],
  ['a sentence that begins with a number', 'It reads. 10 times.', '10 times.'],
  ['a sentence after code', 'It reads `a`. It writes.', 'It writes.'],
  ['a sentence after a parenthesis', '(It reads.) It writes.', 'It writes.'],
  ['a sentence after bold text', 'It is **not safe.** Pass a key.', 'Pass a key.'],
  ['a sentence in a list', '- It reads. It writes.', 'It writes.'],
  ['a sentence after a label', '- **Cost.** One write. Two reads.', 'Two reads.'],
  ['the end of a sentence in a wrapped paragraph', 'A paragraph that\nends. Another one', 'Another one'],
])('finds %s', (_, page, next) => {
  const line = page.split('\n').length;
  const finding = `a.md:${line}: two sentences on one line; begin a new line before "${next}"`;
  expect(judgeSentences('a.md', page)).toEqual([finding]);
});

it.each<[string, string]>([
  ['one sentence a line', 'It reads.\nIt writes.'],
  ['a table', '| It reads. It writes. |'],
  ['a block of code', '```ts\n// It reads. It writes.\n```'],
  ['a block quotation', '> It reads. It writes.'],
  ['a quotation', 'It answers “Not found. Try again.” with 404'],
  ['a quotation in straight marks', 'It answers "Not found. Try again." with 404'],
  ['code', 'It logs `One. Two.`'],
  ['a heading', '# 1. Install'],
  ['a numbered list', '1. Install'],
  ['a label', '**The work.** The routes.'],
  ['an abbreviation', 'A store, e.g. DynamoDB, i.e. Amazon.'],
  ['an initial', 'J. Doe'],
  ['a version', 'Node 22. x and node.js'],
  ['a comment', '<!-- It reads. It writes. -->\n<!--\nIt reads. It writes.\n-->'],
  ['a generated page', '<!-- Made by `npm run docs` from rows. -->\n\nIt reads. It writes.'],
])('accepts %s', (_, page) => {
  expect(judgeSentences('a.md', page)).toEqual([]);
});
