import { Catch } from '@nestjs/common';
import { PageErrorFilter } from '../pages/page-answer.js';

/** Failures of signing in, as pages. */
@Catch()
export class LoginErrorFilter extends PageErrorFilter {
  protected override readonly title = 'Sign-in failed';
}
