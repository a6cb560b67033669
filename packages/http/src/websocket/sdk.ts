import { FrameworkError } from '@sallyport/core';

/** What is used of an AWS client. */
export interface SdkClient {
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<unknown>;
  destroy(): void;
}

/** What is used of `@aws-sdk/client-apigatewaymanagementapi`; its own types stay out of ours, as it is optional. */
export interface ManagementSdk {
  readonly ApiGatewayManagementApiClient: new (config: Readonly<Record<string, unknown>>) => SdkClient;
  readonly PostToConnectionCommand: new (input: { ConnectionId: string; Data: Uint8Array }) => object;
  readonly GetConnectionCommand: new (input: { ConnectionId: string }) => object;
  readonly DeleteConnectionCommand: new (input: { ConnectionId: string }) => object;
}

/** Named where bundlers do not follow: a service that sends nothing carries no AWS client, and the Lambda runtime has its own. */
const CLIENT = '@aws-sdk/client-apigatewaymanagementapi';

/**
 * Imports the AWS client that is installed or that the runtime brings. Who wants it in the bundle hands in
 * `loadSdk: () => import('@aws-sdk/client-apigatewaymanagementapi')`.
 *
 * @throws FrameworkError `websocket.sdk_missing`
 */
export async function loadManagementSdk(): Promise<ManagementSdk> {
  try {
    const sdk: unknown = await import(CLIENT);
    return sdk as ManagementSdk;
  } catch (cause) {
    const message = 'framework: @aws-sdk/client-apigatewaymanagementapi could not be loaded; is it installed?';
    throw new FrameworkError('websocket.sdk_missing', message, { cause });
  }
}
