import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { owned, OwnedRecord } from './records.js';

@Schema({ collection: 'schedules', ...owned })
export class Schedule extends OwnedRecord {
  @Prop({ type: SchemaTypes.ObjectId, ref: 'Team', required: true }) teamOneId!: Types.ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, ref: 'Team' }) teamTwoId?: Types.ObjectId;
  @Prop({ required: true }) teamTwoName!: string;
  @Prop({ required: true }) eventType!: string;
  @Prop({ required: true }) status!: string;
  @Prop({ required: true }) eventTitle!: string;
  @Prop({ required: true }) startDate!: Date;
  @Prop({ required: true }) endDate!: Date;
  @Prop({ required: true }) duration!: number;
  @Prop({ required: true }) matchupFormat!: string;
  @Prop({ required: true }) teamFormat!: string;
  @Prop() practiceNote?: string;
  @Prop({ default: false }) isTestGame!: boolean;
  @Prop({ default: false }) isScrimmage!: boolean;
  @Prop({ default: false }) enableYardage!: boolean;
  @Prop({ default: false }) allowZeroYardStart!: boolean;
  @Prop() fieldSizeInYard?: number;
  @Prop({ required: true }) overtimeType!: string;
  @Prop() overtimeDuration?: number;
  @Prop() locationName?: string;
  @Prop() placeId?: string;
  @Prop({ type: SchemaTypes.Mixed }) location?: unknown;
  @Prop() tournamentId?: string;
}

@Schema({ collection: 'playerStatistics' })
export class PlayerStatistic {
  @Prop({ type: SchemaTypes.ObjectId }) organizationId!: Types.ObjectId;
  @Prop({ type: SchemaTypes.ObjectId }) scheduleId!: Types.ObjectId;
  @Prop({ type: SchemaTypes.ObjectId }) teamId!: Types.ObjectId;
  @Prop({ type: SchemaTypes.ObjectId }) playerId!: Types.ObjectId;
  @Prop() category!: string;
  @Prop() teamName!: string;
  @Prop() playerName!: string;
  @Prop() jerseyNumber?: string;
  @Prop({ type: Object }) stats!: Figures;
}

export type Figures = Record<string, number | null>;
export const ScheduleSchema = SchemaFactory.createForClass(Schedule);
export const PlayerStatisticSchema = SchemaFactory.createForClass(PlayerStatistic);
