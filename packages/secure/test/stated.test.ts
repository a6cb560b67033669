import { bind, json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';

const STATED = Symbol.for('sallyport.stated/1');

it('a line of routes() keeps its handler for tools, and shows it in no copy', () => {
  const body = { text: { type: 'string' } } as const;
  const app = new SecureApp({ principalResolver: () => null, log: false });
  app.webSocket(
    'send',
    bind({ body }, () => json(200, {})),
    Public(),
  );
  const inspection = (app.handleLambda as never)[Symbol.for('framework.inspect')] as {
    readonly routes: () => readonly object[];
  };
  const [line] = inspection.routes() as readonly Readonly<
    Record<symbol, { handler: { contract: { body: object } } }>
  >[];
  expect(Object.keys(line?.[STATED]?.handler.contract.body ?? {})).toEqual(['text']);
  expect(Object.getOwnPropertySymbols({ ...line })).toEqual([]);
});
