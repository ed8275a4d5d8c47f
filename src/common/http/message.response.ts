import { ApiProperty } from '@nestjs/swagger';

/** The answer to a deletion. */
export class MessageResponse {
  @ApiProperty({ description: 'What was done.', example: 'Schedule deleted' })
  message!: string;
}
