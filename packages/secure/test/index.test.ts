import * as secure from '@sallyport/secure';
import * as authorizers from '@sallyport/secure/authorizers';
import * as jwt from '@sallyport/secure/jwt';
import * as jwtVerifier from '@sallyport/secure/jwt-verifier';
import * as migrate from '@sallyport/secure/migrate';
import * as sharedSecret from '@sallyport/secure/shared-secret';

describe('the entries export these values and no others', () => {
  it.each<[string, object, string[]]>([
    [
      '.',
      secure,
      [
        'Authenticated',
        'AuthenticatedAnyOf',
        'InternalOnly',
        'Optional',
        'Public',
        'SecureApp',
        'defineRoutes',
        'firstPrincipal',
        'markBearerReader',
        'withBearer',
      ],
    ],
    [
      './authorizers',
      authorizers,
      [
        'appSyncIdentityPrincipal',
        'cognitoAuthorizerPrincipal',
        'connectionPrincipal',
        'iamPrincipal',
        'jwtAuthorizerPrincipal',
        'lambdaAuthorizerV1Principal',
        'lambdaAuthorizerV2Principal',
        'latticeIdentityPrincipal',
      ],
    ],
    ['./jwt', jwt, ['JwtError', 'cognitoPrincipalResolver', 'createJwtVerifier', 'jwtPrincipalResolver']],
    ['./jwt-verifier', jwtVerifier, ['JWT_VERIFIER_KINDS', 'JwtError', 'createJwtVerifier']],
    ['./migrate', migrate, ['choosePosture']],
    ['./shared-secret', sharedSecret, ['sharedSecretPrincipalResolver']],
  ])('%s', (_, entry, names) => {
    expect(Object.keys(entry).sort()).toEqual(names);
  });
});
