import { Allow, IsBoolean, IsDateString, IsIn, IsMongoId, IsNotEmpty, IsNumber, IsOptional } from 'class-validator';
import { IsString, MaxLength, Min } from 'class-validator';
import { PageQuery } from './records.js';

export class ScheduleQuery extends PageQuery {
  @IsOptional() @IsIn(['live', 'upcoming']) filter?: 'live' | 'upcoming';
}

abstract class ScheduleFields {
  @IsMongoId() teamId!: string;
  @IsOptional() @IsIn(['game', 'practice']) eventType?: string;
  @IsOptional() @IsDateString() endDate?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(120) teamTwoName?: string;
  @IsOptional() @IsIn([20, 24, 30, 40, 48, 50, 60]) duration?: number;
  @IsOptional() @IsIn(['halves', 'quarters', 'runningClock']) matchupFormat?: string;
  @IsOptional() @IsIn(['4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11']) teamFormat?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(2_000) practiceNote?: string;
  @IsOptional() @IsBoolean() isTestGame?: boolean;
  @IsOptional() @IsBoolean() isScrimmage?: boolean;
  @IsOptional() @IsBoolean() enableYardage?: boolean;
  @IsOptional() @IsBoolean() allowZeroYardStart?: boolean;
  @IsOptional() @IsIn([30, 40, 45, 50, 60, 64, 70, 80, 100]) fieldSizeInYard?: number;
  @IsOptional() @IsIn(['limited', 'unlimited']) overtimeType?: string;
  @IsOptional() @IsNumber() @Min(1) overtimeDuration?: number;
}

export class CreateScheduleDto extends ScheduleFields {
  @IsDateString() startDate!: string;
  @IsOptional() @IsMongoId() teamTwoId?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(200) locationName?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(200) placeId?: string;
  @Allow() location?: unknown;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(100) tournamentId?: string;
}

export class UpdateScheduleDto extends ScheduleFields {
  @IsOptional() @IsDateString() startDate?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(255) eventTitle?: string;
}
