import type { App } from '@sallyport/dispatch/app';

function traced<T>(value: T, _context: unknown): T {
  return value;
}

class Jobs {
  constructor(readonly app: App) {}

  @traced
  register(): void {
    this.app.getStrict('/jobs', () => ({ status: 200 }) satisfies { status: number });
  }
}

export const start = (app: App): Jobs => new Jobs(app);
