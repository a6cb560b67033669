import type { AuthorizationServer } from '@sallyport/oauth-lab';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import type { NotesService } from '../src/app.js';
import { AUDIENCE, createTestService, startIssuer } from './support.js';

const env = createTestEnv({ now: new Date() });
let issuer: AuthorizationServer;
let service: NotesService;
let headers: Record<string, string>;

beforeAll(async () => {
  issuer = await startIssuer();
  headers = { authorization: `Bearer ${await issuer.sign({ sub: 'ada', scope: 'notes:read' }, AUDIENCE)}` };
});

beforeEach(async () => {
  service = createTestService(env, issuer, { limit: 100 });
  await service.notes.add({ title: 'Bicycle', text: 'repair the rear wheel of the bicycle' }, 'alan');
  await service.notes.add({ title: 'Groceries', text: 'bread and two litres of milk' }, 'alan');
});

afterAll(() => issuer.close());

async function search(query: string, options: object = { headers }): Promise<{ status: number; ids: string[] }> {
  const event = buildAPIGatewayV2Request('GET', `/search?${query}`, options);
  const answer = (await env.invoke(service.app, event)) as { statusCode: number; body: string };
  const { notes = [] } = JSON.parse(answer.body) as { notes?: { note: { id: string } }[] };
  return { status: answer.statusCode, ids: notes.map(({ note }) => note.id) };
}

it('finds the notes nearest to the question', async () => {
  expect((await search('q=buy%20milk&limit=2')).ids.toSorted()).toEqual(['note-1', 'note-3']);
  expect((await search('q=wheel%20of%20a%20bicycle&limit=1')).ids).toEqual(['note-2']);
});

it('searches only the notes of one author on request', async () => {
  expect((await search('q=milk&author=alan')).ids).toEqual(['note-3', 'note-2']);
});

it('reports notes that were added, changed and removed since the last search', async () => {
  await search('q=milk');
  await service.notes.put('note-2', { title: 'Milk', text: 'milk, milk and milk' }, 'alan');
  await service.notes.remove('note-3');
  await service.notes.add({ title: 'Cheese', text: 'made of milk' }, 'ada');
  expect((await search('q=milk')).ids.toSorted()).toEqual(['note-1', 'note-2', 'note-4']);
  expect((await search('q=milk&author=alan')).ids).toEqual(['note-2']);
});

it.each([
  ['without a token', 'q=milk', {}, 401],
  ['without a question', '', undefined, 422],
  ['with a blank question', 'q=%20', undefined, 422],
  ['for too many notes', 'q=milk&limit=21', undefined, 422],
])('is rejected %s', async (_name, query, options, status) => {
  expect((await search(query, options)).status).toBe(status);
});
