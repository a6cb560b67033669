// Every trigger of the catalogue in one container. The variable DEED selects the behaviour of all handlers.
import { createApp } from '@sallyport/dispatch/app';
import { CATALOGUE, type CatalogueEntry, type SampleHandler } from '@sallyport/triggers/catalogue';

const { DEED = '', RESPONSE_HOST = '' } = process.env;

/** A response of HTTP, and the answers of authorizers: no service except HTTP reads it. */
export const FOREIGN = { statusCode: 200, headers: {}, body: 'secret', isAuthorized: true, isAuthenticated: true };

function act(result: unknown): unknown {
  if (DEED === 'throws') throw new Error('secret');
  if (DEED === 'foreign') return FOREIGN;
  return DEED === 'nothing' ? undefined : result;
}

/** Without options, a sample has a client that accepts everything: here AWS's own clients report to a server of the test. */
const optionsOf = (kind: string, { sends }: CatalogueEntry['sample']) => {
  if (kind === 'custom-resource') return { responseHosts: [RESPONSE_HOST] };
  return sends ? {} : undefined;
};

const surfaces = Object.values<CatalogueEntry>(CATALOGUE).map(({ kind, sample }) => {
  const handler = (async () => act(sample.result) as never) as SampleHandler;
  return sample.register(
    sample.names.map((name) => [name, handler]),
    optionsOf(kind, sample) as never,
  );
});

const app = createApp({ surfaces, maskErrors: true });
app.get('/{path+}', () => act({ status: 200, headers: {}, body: 'ok' }) as never);
app.get('/', () => act({ status: 200, headers: {}, body: 'ok' }) as never);

export const handler = app.handleLambda;
