import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUNBOOK_COMMAND } from '@sallyport/cli/command';
import { Assembly } from './assembly.js';

let folder: string;
let assembly: Assembly;
let page: string;
let warnings = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notes-runbook-'));
  assembly = new Assembly(folder);
  await RUNBOOK_COMMAND.run(['Notes.template.json', '--manifest', 'sallyport.json', '--out', 'RUNBOOK.md'], {
    cwd: folder,
    environment: {},
    out: () => {},
    err: (text) => {
      warnings += text;
    },
    input: async () => '',
    signal: new AbortController().signal,
  });
  page = readFileSync(join(folder, 'RUNBOOK.md'), 'utf8');
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the runbook has a section for each door, source, store and tool of the service', () => {
  expect(warnings).toBe('');
  expect([...page.matchAll(/^### (.+)$/gm)].map(([, title]) => title)).toEqual([
    'Function ServiceFunction',
    'HTTP API ServiceHttpApi',
    'WebSocket API ServiceWebSocket',
    'GraphQL API ServiceGraphql',
    'Queue reminders',
    'Queue orders',
    'Queue ledger.fifo',
    'Stream clicks',
    'Table stream notes',
    'Event rule billing InvoicePaid',
    'Schedule nightly-cleanup',
    'Topic announcements',
    'Bucket events uploads',
    'Bucket Attachments',
    'Table Notes',
    'Table ServiceJobs',
    'Table ServiceConnections',
    'Table ServiceMcpSessions',
    'Table ServiceLimits',
    'Secret ServiceMcpSecret',
    'Vector index Search',
    'MCP server /mcp',
  ]);
});

test('every alarm of the stack belongs to a section, and links to its explanation', () => {
  const alarms = Object.entries(assembly.resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
  expect(alarms.length).toBeGreaterThan(20);
  for (const [id] of alarms) {
    const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`(\`${id}\`)`));
    expect(row).toMatch(/\| \[[^\]]+\]\(#[\w-]+\) \| \[[^\]]+\]\(docs\/operations\.md#[\w-]+\) \|$/);
  }
});

test('every name that the commands look up is a resource of the stack', () => {
  const names = [...page.matchAll(/\$\(name (\w+)\)/g)].map(([, id = '']) => id);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((id) => !Object.hasOwn(assembly.resources, id))).toEqual([]);
});

test('the query of a queue selects its lines by the registered name', () => {
  const [, part = ''] = page.split('### Queue orders\n');
  expect(part.slice(0, part.indexOf('###'))).toContain('| filter source = "orders"');
});

test('every link within the page leads to a section', () => {
  const anchors = new Set(
    [...page.matchAll(/^#{2,3} (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});
