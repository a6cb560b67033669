import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invocationJson, invocationLine } from '../src/internal/commands/lines.js';
import { announce } from '../src/internal/commands/running.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';
const SERVICE = `
export const handler = async (event) => {
  console.log('password=SECRET-in-log');
  if (event.rawPath.startsWith('/fails')) throw new Error('token: SECRET-in-error');
  return {
    statusCode: 302,
    headers: { location: 'https://app.example/cb?code=SECRET-in-location', 'set-cookie': 'session=SECRET-in-answer' },
    body: JSON.stringify({ password: 'SECRET-in-body-of-answer' }),
  };
};`;

/** The places that a developer, a program or another user can read. */
async function exposed(
  host: RunningHost,
  project: Project,
  isPage: boolean,
): Promise<Readonly<Record<string, string>> & { readonly list?: string }> {
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${host.ports.console}${path}`, {
      headers: { authorization: `Bearer ${host.token}` },
    });
    return answer.text();
  };
  const records = host.journal.list();
  const recordings = join(project.folder, '.sallyport/recordings');
  for (const { id } of records) {
    for (const as of ['recording', 'fixture']) {
      await fetch(`http://127.0.0.1:${host.ports.console}/api/recordings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.token}` },
        body: JSON.stringify({ id, as }),
      });
    }
  }
  const files = readdirSync(recordings);
  // The manually sent events are of no kind.
  expect(files).toHaveLength(4);
  const page = {
    list: await get('/api/invocations'),
    record: (await Promise.all(records.map(({ id }) => get(`/api/invocations/${id}`)))).join('\n'),
    state: await get('/api/state'),
    recording: (
      await Promise.all(
        files.filter((file) => file.includes('.recording.')).map((file) => get(`/api/recordings/${file}`)),
      )
    ).join('\n'),
  };
  return {
    terminal: records.map(invocationLine).join('\n'),
    json: records.map(invocationJson).join('\n'),
    files: files.map((file) => readFileSync(join(recordings, file), 'utf8')).join('\n'),
    ...(isPage ? page : {}),
  };
}

test.each([
  ['nothing leaves the journal with a secret', false],
  ['with --reveal the page alone shows secrets', true],
])('%s', async (_name, reveal) => {
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const host = await start(project, { reveal });
  const query = `code=SECRET-in-query&state=x&access_token=${JWT}&password=SECRET-in-password&api_key=SECRET-in-key`;
  const headers = {
    authorization: 'Bearer SECRET-in-authorization',
    cookie: 'session=SECRET-in-cookie',
    'x-api-key': 'SECRET-in-header',
    referer: `http://127.0.0.1:1/cb?${query}`,
    'content-type': 'application/x-www-form-urlencoded',
    'x-amzn-trace-id': `Root=${JWT}`,
  };
  const form =
    'grant_type=authorization_code&code=SECRET-in-form&client_secret=SECRET-in-secret&code_verifier=SECRET-in-verifier';
  try {
    for (const path of [`/cb/${JWT}?${query}`, `/fails/${JWT}?${query}`]) {
      const url = `http://127.0.0.1:${host.ports['gateway-v2']}${path}`;
      await fetch(url, { method: 'POST', headers, body: form, redirect: 'manual' });
    }
    const sent = await host.sender.send({ kind: 'event', options: { rawPath: '/fails', password: 'SECRET-in-event' } });
    const answered = await host.sender.send({ kind: 'event', options: { rawPath: '/' } });
    host.notice('the service does not load: password=SECRET-in-notice');
    const all = {
      ...(await exposed(host, project, !reveal)),
      ...(!reveal && { sent: JSON.stringify([sent, answered]) }),
    };
    if (!reveal) {
      expect(all.list).toContain('POST /cb/[REDACTED]?code=[REDACTED]&state=x&access_token=[REDACTED]');
    }
    for (const [place, text] of Object.entries(all)) {
      expect([place, text.match(/SECRET[\w-]*/g) ?? []]).toEqual([place, []]);
      expect([place, text.includes(JWT)]).toEqual([place, false]);
    }
  } finally {
    await host.stop();
    project.remove();
  }
});

test('an error named code, and a short value, are shown', async () => {
  const project = createProject({
    'src/lambda.mjs': `export const handler = async () => ({ statusCode: 400, body: '{"code":"orders.not_found_here"}' });`,
  });
  const host = await start(project);
  try {
    await fetch(`http://127.0.0.1:${host.ports['gateway-v2']}/countries?code=SE`);
    const [record] = host.journal.list();
    expect(record?.origin.target).toBe('GET /countries?code=SE');
    expect(record?.client?.body).toBe('{"code":"orders.not_found_here"}');
  } finally {
    await host.stop();
    project.remove();
  }
});

test('git ignores the state, and private files are their owner’s', async () => {
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: project.folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  const file = join(project.folder, '.sallyport/identity.json');
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  try {
    git('init', '--quiet');
    await (await start(project)).stop();
    expect(git('add', '--dry-run', '--all')).not.toContain('sallyport');
    expect(modeOf(file)).toBe('600');
    // A copy of the project can have other permissions; a developer can have removed the file.
    chmodSync(file, 0o644);
    rmSync(join(project.folder, '.sallyport/.gitignore'));
    const host = await start(project);
    announce(host);
    chmodSync(join(project.folder, '.sallyport/run.json'), 0o644);
    announce(host);
    await host.stop();
    expect(modeOf(file)).toBe('600');
    expect(modeOf(join(project.folder, '.sallyport/run.json'))).toBe('600');
    expect(readFileSync(join(project.folder, '.sallyport/.gitignore'), 'utf8')).toBe('*\n');
  } finally {
    project.remove();
  }
});
