import { MessageResponse } from '../../src/http/paging.js';
import { Returns } from '../../src/http/returns.decorator.js';

/** Compiled by `npm run check` and never run, as tenant.types.ts: the documented response is the returned one. */
export class Routes {
  @Returns(MessageResponse, 'The message.')
  ofTheClass() {
    return Promise.resolve({ message: 'Done' });
  }

  // @ts-expect-error -- the handler returns something else
  @Returns(MessageResponse, 'The message.')
  ofAnotherClass() {
    return Promise.resolve({ text: 'Done' });
  }
}
