import { statusDescription } from '../src/doors/internal/load-balancer.js';

describe('statusDescription', () => {
  it.each([
    [200, '200 OK'],
    [204, '204 No Content'],
    [302, '302 Found'],
    [413, '413 Content Too Large'],
    [422, '422 Unprocessable Content'],
    [429, '429 Too Many Requests'],
    [503, '503 Service Unavailable'],
    [299, '299'],
    [599, '599'],
  ])('of %d is %s', (status, description) => {
    expect(statusDescription(status)).toBe(description);
  });
});
