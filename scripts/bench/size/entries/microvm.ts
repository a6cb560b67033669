import {
  createAwsMicrovmProvider,
  createDynamoMicrovmRegistry,
  createMicrovmController,
  mountMicrovmController,
} from '@sallyport/microvm';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { iamPrincipal } from '@sallyport/secure/authorizers';

const app = new SecureApp({ principalResolver: iamPrincipal() });
const controller = createMicrovmController({
  provider: createAwsMicrovmProvider(),
  registry: createDynamoMicrovmRegistry({ tableName: 'sessions' }),
  images: [{ ref: 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook' }],
});
mountMicrovmController(app, controller, { posture: Authenticated(), shellPosture: Authenticated() });

export const handler = app.handleLambda;
