import type { AuthorizationServer } from '@sallyport/oauth-lab';
import { createTestEnv } from '@sallyport/testkit';
import { buildInvocation } from '@sallyport/triggers';
import { buildS3Event } from '@sallyport/triggers/testing';
import type { NotesService } from '../src/app.js';
import { createTestService, startIssuer } from './support.js';

const env = createTestEnv({ now: new Date() });
let issuer: AuthorizationServer;
let service: NotesService;

beforeAll(async () => {
  issuer = await startIssuer();
});
beforeEach(() => {
  service = createTestService(env, issuer);
});
afterAll(() => issuer.close());

it('notes which objects arrived in the bucket', async () => {
  const { app, journal } = service;
  await expect(app.handleLambda(buildS3Event('uploads', [{ key: 'note-1/a b.png' }]))).resolves.toBeNull();
  expect(journal.uploads).toEqual(['ObjectCreated:Put note-1/a b.png']);
  await expect(app.handleLambda(buildS3Event('other', [{ key: 'x' }]))).rejects.toMatchObject({
    code: 'triggers.no_handler',
  });
});

it('imports notes for another function, and for no agent', async () => {
  const { app, notes } = service;
  const payload = buildInvocation('import-notes', { authorId: 'ada', notes: [{ title: 'Tea', text: 'green' }] });
  await expect(app.handleLambda(payload)).resolves.toEqual({ added: ['note-2'] });
  expect(await notes.get('note-2')).toMatchObject({ title: 'Tea', authorId: 'ada' });

  const agent = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___import' } } };
  await expect(app.handleLambda(payload, agent)).rejects.toMatchObject({ code: 'app.unauthorized' });
  expect(await notes.list(10)).toHaveLength(2);
});
