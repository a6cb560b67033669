import {
  createAuthorizationCodeStore,
  createAuthorizationServerMetadata,
  createBearerGuard,
  createProtectedResourceMetadata,
  createRefreshTokenStore,
  createRegistrationHandler,
  createTokenHandler,
  jwtBearerValidator,
  mcpDiscovery,
  staticBearerValidator,
} from '../src/oauth.js';

type Make = (options: never) => unknown;

describe.each<[string, Make]>([
  ['createAuthorizationCodeStore', createAuthorizationCodeStore],
  ['createAuthorizationServerMetadata', createAuthorizationServerMetadata],
  ['createBearerGuard', createBearerGuard],
  ['createProtectedResourceMetadata', createProtectedResourceMetadata],
  ['createRefreshTokenStore', createRefreshTokenStore],
  ['createRegistrationHandler', createRegistrationHandler],
  ['createTokenHandler', createTokenHandler],
  ['jwtBearerValidator', jwtBearerValidator],
  ['jwtBearerValidator, in a list', (options) => jwtBearerValidator([options])],
  ['mcpDiscovery', mcpDiscovery],
  ['staticBearerValidator, in a list', (options) => staticBearerValidator([options])],
])('%s', (_name, make) => {
  it.each([undefined, null, 5, 'options'])('rejects %j as its options', (options) => {
    expect(() => make(options as never)).toThrow(
      expect.objectContaining({
        code: 'app.invalid_configuration',
        message: expect.stringMatching(/^framework: .*options must be an object$/),
      }),
    );
  });
});
