import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { FunctionUrlAuthType, InvokeMode, type Function as ServiceFunction } from 'aws-cdk-lib/aws-lambda';

/** The function URL of the MCP server, which streams. It accepts any caller; the postures in src/app.ts check them. */
export function addMcp(stack: Stack, service: ServiceFunction): void {
  const { url } = service.addFunctionUrl({
    authType: FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
  });
  new CfnOutput(stack, 'McpUrl', { value: `${url}mcp` });
}
