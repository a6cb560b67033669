import { createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { createAwsMicrovmProvider, createDynamoMicrovmRegistry } from '@sallyport/microvm';
import { iamPrincipal } from '@sallyport/secure/authorizers';
import { createSandbox } from './app.js';

const app = createSandbox({
  secure: { principalResolver: iamPrincipal() },
  // Table and image are named by FRAMEWORK_MICROVM_TABLE_NAME and FRAMEWORK_MICROVM_IMAGE_REF.
  microvms: { provider: createAwsMicrovmProvider(), registry: createDynamoMicrovmRegistry() },
});

/** For a function URL with `AuthType: AWS_IAM` and `InvokeMode: RESPONSE_STREAM`. */
export const handler = createLambdaFunctionURLStreamingHandler(app);
