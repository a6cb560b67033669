import type { SecureApp, SecureOpenApiSpec } from '@sallyport/secure';

const MCP = { path: '/mcp', tags: ['agents'] } as const;

/** Additions to the OpenAPI document that are not in the registrations: for HTTP operations only. */
const SPEC: SecureOpenApiSpec = {
  title: 'Notes',
  version: '1.0.0',
  routes: [
    { method: 'GET', path: '/health', operationId: 'health', summary: 'Says that all is well' },
    { method: 'GET', path: '/search', operationId: 'searchNotes', summary: 'Finds notes by what they say' },
    { method: 'GET', path: '/notes', operationId: 'listNotes', summary: 'Lists notes' },
    { method: 'POST', path: '/notes', operationId: 'addNote', summary: 'Adds a note', successStatus: 201 },
    { method: 'GET', path: '/notes/{id}', operationId: 'getNote', summary: 'Gets a note' },
    { method: 'PUT', path: '/notes/{id}', operationId: 'putNote', summary: 'Writes a note' },
    { method: 'PATCH', path: '/notes/{id}', operationId: 'changeNote', summary: 'Changes a note' },
    { method: 'DELETE', path: '/notes/{id}', operationId: 'removeNote', summary: 'Removes a note', successStatus: 204 },
    {
      method: 'PUT',
      path: '/notes/{id}/attachments/{name}',
      operationId: 'attach',
      summary: 'Attaches a file to a note',
      successStatus: 201,
    },
    {
      method: 'GET',
      path: '/notes/{id}/attachments/{name}',
      operationId: 'getAttachment',
      summary: 'Gets an attached file',
    },
    {
      method: 'POST',
      path: '/notes/{id}/attachments/{name}/upload',
      operationId: 'grantUpload',
      summary: 'Grants the upload of a file to a note',
      successStatus: 201,
    },
    {
      method: 'POST',
      path: '/greetings',
      operationId: 'greet',
      summary: 'Greets a caller, and remembers it in a cookie',
    },
    { ...MCP, method: 'POST', operationId: 'mcpSend', summary: 'Takes a message of an agent' },
    { ...MCP, method: 'GET', operationId: 'mcpResume', summary: 'Resumes a stream of an agent' },
    { ...MCP, method: 'DELETE', operationId: 'mcpEnd', summary: 'Ends the session of an agent' },
    {
      method: 'GET',
      path: '/.well-known/oauth-protected-resource',
      operationId: 'mcpResource',
      summary: 'OAuth metadata of the MCP endpoint',
    },
    {
      method: 'GET',
      path: '/.well-known/oauth-protected-resource/mcp',
      operationId: 'mcpResourceAtPath',
      summary: 'The same document at its canonical path',
    },
    {
      method: 'HEAD',
      path: '/.well-known/oauth-protected-resource',
      operationId: 'mcpResourceHead',
      summary: 'The headers of the metadata',
    },
    {
      method: 'HEAD',
      path: '/.well-known/oauth-protected-resource/mcp',
      operationId: 'mcpResourceAtPathHead',
      summary: 'The headers of the same document',
    },
  ],
  securitySchemes: { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  authSchemes: { authenticated: ['jwt'], internalOnly: ['jwt'] },
};

/** OpenAPI 3.1 of the service as canonical JSON. */
export function describeNotes(app: SecureApp): string {
  return app.generateOpenAPIJSON(SPEC);
}
