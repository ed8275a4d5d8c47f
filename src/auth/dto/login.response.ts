import { ApiProperty } from '@nestjs/swagger';

/** What a login gives. */
export class LoginResponse {
  @ApiProperty({
    description: 'The token to send as `Authorization: Bearer …` on admin routes.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  })
  accessToken!: string;

  @ApiProperty({ description: 'How the token is sent.', enum: ['Bearer'], example: 'Bearer' })
  tokenType!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'How long the token is good for, in seconds.', example: 3600 })
  expiresIn!: number;
}
