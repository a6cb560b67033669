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

/**
 * Imports the installed AWS client.
 *
 * @throws FrameworkError `websocket.sdk_missing`
 */
export async function loadManagementSdk(): Promise<ManagementSdk> {
  try {
    const sdk: unknown = await import('@aws-sdk/client-apigatewaymanagementapi');
    return sdk as ManagementSdk;
  } catch (cause) {
    const message = 'framework: @aws-sdk/client-apigatewaymanagementapi could not be loaded; is it installed?';
    throw new FrameworkError('websocket.sdk_missing', message, { cause });
  }
}
