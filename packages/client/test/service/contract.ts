/** The contract of the service of these tests. */
export interface Shop {
  http: {
    'GET /orders/{id}': { params: { id: string }; answer: { 200: Order }; error: 'app.not_found' };
    'GET /orders': {
      query: { tag?: string[]; limit?: number | undefined };
      answer: { 200: { tag: string[]; limit: string | null } };
    };
    'POST /orders': {
      body: { item: string };
      answer: { 201: Order };
      error: 'app.validation_failed' | 'app.unauthorized' | 'app.forbidden';
      idempotency: true;
    };
    'DELETE /orders/{id}': { params: { id: string }; answer: { 204: undefined }; repeatable: true };
    'GET /made': { answer: { 200: number } };
    'GET /files/{path+}': { params: { path: string }; answer: { 200: string } };
    'GET /bytes': { answer: { 200: Blob } };
    'GET /me': { answer: { 200: { subject: string } }; error: 'app.unauthorized' };
    'GET /ticks': { query: { count: number }; events: { tick: { at: number } } };
  };
  socket: { in: { say: { text: string } }; out: { said: { text: string } } };
  tool: {
    add: { input: { a: number; b: number }; output: { sum: number } };
    fail: { input: Record<string, never>; output: unknown };
  };
}

export interface Order {
  id: string;
  item: string;
}
