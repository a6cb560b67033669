import { json } from '@sallyport/http';
import {
  Authenticated,
  type Posture,
  Public,
  SecureApp,
  type SecureOptions,
  type SecurePrincipal,
} from '@sallyport/secure';
import { choosePosture, type PostureNotChosen } from '@sallyport/secure/migrate';

const handler = () => json(200, 1);

/** Never run: the type check reads it. */
function refusedByTheCompiler(app: SecureApp): void {
  // @ts-expect-error a posture is wanted
  app.get('/a', handler);
  // @ts-expect-error a posture is wanted
  app.handle('GET', '/a', handler);
  // @ts-expect-error a posture is wanted
  app.appSyncField('Query', 'a', handler);
  // @ts-expect-error a posture is wanted
  app.appSyncBatchField('Query', 'a', () => []);
  // @ts-expect-error a posture is wanted
  app.webSocket('$connect', handler);
  // @ts-expect-error a literal is no posture
  app.get('/a', handler, { kind: 'public', scopes: [] });
  // @ts-expect-error the factory is no posture
  app.get('/a', handler, Public);
  // @ts-expect-error a name is no posture
  app.get('/a', handler, 'public');
  // @ts-expect-error the placeholder is no posture
  app.get('/a', handler, choosePosture('GET /a'));
  // @ts-expect-error no scopes in a list
  Authenticated(['a']);
  // @ts-expect-error postures are read-only
  Public().kind = 'optional';
  // @ts-expect-error there is no such option
  new SecureApp({ authHook: () => 'ada' });
  // @ts-expect-error a principal has an identity
  new SecureApp({ principalResolver: () => ({ scopes: [] }) });
  // @ts-expect-error there is no such kind
  new SecureApp({ principalResolver: () => ({ identity: 'a', kind: 'root' }) });
}

describe('types', () => {
  it('refuse what the container refuses', () => {
    expect(typeof refusedByTheCompiler).toBe('function');
  });

  it('take what it takes', () => {
    const postures: readonly Posture[] = [Public(), Authenticated('a')];
    const principal: SecurePrincipal = { identity: 'ada', kind: 'internal' };
    const options: SecureOptions = {
      principalResolver: async () => principal,
      challenge: (ctx) => ctx.route?.pattern,
      tier: 'p1',
    };
    const notChosen: PostureNotChosen = { postureNotChosen: true };
    expect([postures.length, new SecureApp(options).routes(), notChosen]).toEqual([2, [], { postureNotChosen: true }]);
  });
});
