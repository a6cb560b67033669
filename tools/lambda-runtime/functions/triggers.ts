import { FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { allow, deny, requestAuthorizer, tokenAuthorizer, unauthorized } from '@sallyport/triggers/authorizer';
import { cognitoTrigger } from '@sallyport/triggers/cognito';
import { customResource } from '@sallyport/triggers/custom-resource';
import { directInvoke } from '@sallyport/triggers/invoke';
import { s3Trigger } from '@sallyport/triggers/s3';
import { z } from 'zod';

const operations = directInvoke()
  .invoke('double', z.number(), (_ctx, n) => n * 2)
  .invoke('conflict', z.null(), () => {
    throw new FrameworkError('app.conflict', 'taken');
  });

const app = new SecureApp({
  surfaces: [
    s3Trigger().bucket('uploads', (_ctx, { key }) => {
      if (key === 'a b') return;
      throw new Error(key);
    }),
    operations,
    tokenAuthorizer((_ctx, { token }) => (token === 'Bearer token' ? allow('u1') : unauthorized())),
    cognitoTrigger().on('PreSignUp_*', () => ({ autoConfirmUser: true })),
    customResource(
      { create: () => ({ physicalId: 'made' }), update: () => undefined, delete: () => undefined },
      { responseHosts: [process.env.RESPONSE_HOST ?? ''] },
    ),
  ],
});
app.get('/', () => json(200, {}), Public());

export const container = app.handleLambda;
export const { serveAuthorizer } = requestAuthorizer({ form: 'simple' }, (_ctx, { headers }) =>
  headers['x-api-key'] === 'k' ? allow('u1') : deny(),
);
export const alone = s3Trigger().bucket('uploads', () => {}).handleLambda;
