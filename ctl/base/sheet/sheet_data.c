// SPDX-License-Identifier: GPL-2.0-or-later
/* sheet_data.c - a sheet for programs: JSON and CSV.  See sheet.h. */
#include <inttypes.h>

#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/sheet/sheet.h"

/* ------------------------------------------------------------------------ JSON */

static void put_value(const struct sheet_column *column, const struct cell *cell, struct json *j)
{
	if (cell_is_text(column->kind)) {
		json_text(j, column->key, cell->text);
		return;
	}
	switch (column->kind) {
	case CELL_RAW:
		json_raw(j, column->key, cell->text);
		break;
	case CELL_SIGNED:
		json_signed(j, column->key, (int64_t)cell->count);
		break;
	case CELL_TIME:
	case CELL_SHARE:
	case CELL_PART:
		json_time(j, column->key, cell->number);
		break;
	case CELL_REAL:
		json_real(j, column->key, cell->number);
		break;
	case CELL_BOOLEAN:
		json_boolean(j, column->key, cell->count);
		break;
	case CELL_HEX:
		json_hex(j, column->key, cell->count);
		break;
	case CELL_DIGITS:
		json_digits(j, column->key, cell->count);
		break;
	case CELL_SHEET:
		sheet_json(cell->sheet, j);
		break;
	default:
		json_number(j, column->key, cell->count);
	}
}

static void put_cell(const struct sheet *sheet, size_t row, size_t column, struct json *j)
{
	const struct cell *cell = sheet_cell(sheet, row, column);

	if (cell->absent)
		return;
	if (cell->known)
		put_value(&sheet->columns[column], cell, j);
	else
		json_null(j, sheet->columns[column].key);
}

void sheet_json_row(const struct sheet *sheet, size_t row, struct json *j)
{
	for (size_t i = 0; i < sheet->nr_columns; i++)
		if (sheet->columns[i].key)
			put_cell(sheet, row, i, j);
}

void sheet_json(const struct sheet *sheet, struct json *j)
{
	if (sheet->form == SHEET_OBJECT) {
		json_open(j, sheet->key);
		sheet_json_row(sheet, 0, j);
		json_close(j);
		return;
	}
	json_open_array(j, sheet->key);
	for (size_t row = 0; row < sheet_rows(sheet); row++) {
		if (sheet->form == SHEET_VALUES) {
			put_cell(sheet, row, 0, j);
			continue;
		}
		json_open(j, NULL);
		sheet_json_row(sheet, row, j);
		json_close(j);
	}
	json_close(j);
}

static void put_lines(const struct sheet *sheet, FILE *out)
{
	for (size_t row = 0; row < sheet_rows(sheet); row++) {
		struct json j = json_typed(out, sheet->key);

		sheet_json_row(sheet, row, &j);
		json_end(&j);
	}
}

/* ------------------------------------------------------------------------- CSV */

static bool has_field(const struct sheet_column *column)
{
	return column->key && column->kind != CELL_SHEET && column->kind != CELL_RAW;
}

static void print_field(const struct sheet_column *column, const struct cell *cell, FILE *out)
{
	if (!cell->known || cell->absent)
		return;
	if (column->kind == CELL_WORD) {
		fputs(cell->text, out);
	} else if (cell_is_text(column->kind)) {
		fputc('"', out);
		escape_csv(out, cell->text);
		fputc('"', out);
	} else if (column->kind == CELL_TIME || column->kind == CELL_SHARE || column->kind == CELL_PART) {
		fprintf(out, "%.3f", cell->number);
	} else if (column->kind == CELL_REAL) {
		fprintf(out, "%.17g", cell->number);
	} else if (column->kind == CELL_BOOLEAN) {
		fputs(cell->count ? "true" : "false", out);
	} else if (column->kind == CELL_SIGNED) {
		fprintf(out, "%" PRId64, (int64_t)cell->count);
	} else {
		fprintf(out, column->kind == CELL_HEX ? "0x%" PRIx64 : "%" PRIu64, cell->count);
	}
}

static void print_fields(const struct sheet *sheet, size_t row, FILE *out)
{
	const char *comma = "";

	for (size_t i = 0; i < sheet->nr_columns; i++) {
		if (!has_field(&sheet->columns[i]))
			continue;
		fputs(comma, out);
		print_field(&sheet->columns[i], sheet_cell(sheet, row, i), out);
		comma = ",";
	}
	fputc('\n', out);
}

void sheet_csv(const struct sheet *sheet, FILE *out)
{
	const char *comma = "";

	for (size_t i = 0; i < sheet->nr_columns; i++) {
		if (!has_field(&sheet->columns[i]))
			continue;
		fprintf(out, "%s%s", comma, sheet->columns[i].key);
		comma = ",";
	}
	fputs(*comma ? "\n" : "", out);
	for (size_t row = 0; row < sheet_rows(sheet); row++)
		print_fields(sheet, row, out);
}

/* ------------------------------------------------------------------------- any */

void sheet_write(const struct sheet *sheet, enum print_format format, FILE *out, bool colour)
{
	if (format == PRINT_JSON)
		put_lines(sheet, out);
	else if (format == PRINT_CSV)
		sheet_csv(sheet, out);
	else if (format == PRINT_METRICS)
		sheet_metrics(sheet, out);
	else if (sheet->form == SHEET_OBJECT)
		sheet_print_row(sheet, 0, out, colour);
	else
		sheet_print(sheet, SIZE_MAX, out, colour);
}
