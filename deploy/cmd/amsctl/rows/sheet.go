package rows

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// A workbook (.xlsx) is written out as CSV beside, in a file that nobody sees, one line for each row of its sheet, and read from there: so
// it is read in constant memory, and an interrupted import finds its place again.

// sheetMemory is how much of a part of a workbook is held in memory; larger parts are unpacked into files. sheetLimit is how much a
// workbook may be, unpacked.
const (
	sheetMemory = 16 << 20
	sheetLimit  = 4 << 30
)

// convert writes the sheet of a workbook as CSV into a file, which is open at its beginning.
func convert(path, sheet string) (file *os.File, err error) {
	book, err := excelize.OpenFile(path, excelize.Options{UnzipSizeLimit: sheetLimit, UnzipXMLSizeLimit: sheetMemory})
	if err != nil {
		return nil, fmt.Errorf("%s is not a workbook that can be read: %w; save it as .xlsx without a password, or as CSV", path, err)
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	if sheet, err = chooseSheet(book, path, sheet); err != nil {
		return nil, err
	}
	if err := checkSheets(path); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; open it, and save it again", path, err)
	}
	if err := plainValues(book); err != nil {
		return nil, fmt.Errorf("read the formats of %s: %w", path, err)
	}
	if file, err = os.CreateTemp("", "amsctl-*.csv"); err != nil {
		return nil, err
	}
	if err := writeSheet(book, sheet, file); err != nil {
		return nil, errors.Join(fmt.Errorf("read the sheet %q of %s: %w", sheet, path, err), file.Close(), os.Remove(file.Name()))
	}
	_, err = file.Seek(0, 0)
	return file, err
}

// checkSheets reads the sheets of a workbook to their ends: the library takes what is broken in one for the end of its rows.
func checkSheets(path string) (err error) {
	parts, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, parts.Close()) }()
	for _, part := range parts.File {
		if !strings.HasPrefix(part.Name, "xl/worksheets/") || !strings.HasSuffix(part.Name, ".xml") {
			continue
		}
		text, err := part.Open()
		if err != nil {
			return err
		}
		decoder := xml.NewDecoder(bufio.NewReaderSize(text, 64<<10))
		for err == nil {
			_, err = decoder.Token()
		}
		if closed := text.Close(); !errors.Is(err, io.EOF) || closed != nil {
			return fmt.Errorf("%s: %w", part.Name, errors.Join(err, closed))
		}
	}
	return nil
}

// chooseSheet gives the sheet of that name, else the one that has rows and is not hidden.
func chooseSheet(book *excelize.File, path, name string) (string, error) {
	all := book.GetSheetList()
	if name != "" {
		if !slices.Contains(all, name) {
			return "", fmt.Errorf("%s has no sheet %q; it has %s", path, name, strings.Join(all, ", "))
		}
		return name, nil
	}
	var filled []string
	for _, sheet := range all {
		visible, err := book.GetSheetVisible(sheet)
		if err != nil {
			return "", err
		}
		rows, err := book.Rows(sheet)
		if err != nil {
			return "", fmt.Errorf("read the sheet %q of %s: %w", sheet, path, err)
		}
		if visible && rows.Next() {
			filled = append(filled, sheet)
		}
		if err := rows.Close(); err != nil {
			return "", err
		}
	}
	switch len(filled) {
	case 0:
		return "", fmt.Errorf("%s is empty: the first row must name the columns", path)
	case 1:
		return filled[0], nil
	}
	return "", fmt.Errorf("%s has rows in the sheets %s: say which one with --sheet", path, strings.Join(filled, ", "))
}

// The format that every date of a workbook gets, so that it is known from a number and from a text that looks like a date.
const (
	dateMark   = "\u2060date:"
	dateFormat = `"` + dateMark + `"yyyy-mm-dd"T"hh:mm:ss`
)

// plainValues takes the formats away from a workbook's cells: numbers have all their digits then, and no signs of a currency, and dates
// have dateFormat.
func plainValues(book *excelize.File) error {
	format := dateFormat
	style, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		return err
	}
	styles := book.Styles
	date, none := *styles.CellXfs.Xf[style].NumFmtID, 0
	codes := map[int]string{}
	for _, format := range styles.NumFmts.NumFmt {
		codes[format.NumFmtID], none = format.FormatCode, max(none, format.NumFmtID)
	}
	none = max(none, 1000) + 1 // a format that is not there: the value is given as it is
	for i := range styles.CellXfs.Xf {
		id := styles.CellXfs.Xf[i].NumFmtID
		switch {
		case id == nil:
		case isDate(*id, codes[*id]):
			styles.CellXfs.Xf[i].NumFmtID = &date
		default:
			styles.CellXfs.Xf[i].NumFmtID = &none
		}
	}
	return nil
}

var notOfDate = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)

// isDate says whether a number of this format is a day or a time of one (ECMA-376 part 1, 18.8.30). Hours that are counted on, [h]:mm, are
// none.
func isDate(id int, code string) bool {
	if code == "" {
		return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id == 45 || id == 47 || id >= 50 && id <= 58
	}
	lower := strings.ToLower(code)
	if strings.Contains(lower, "[h") || strings.Contains(lower, "[m") || strings.Contains(lower, "[s") {
		return false
	}
	first, _, _ := strings.Cut(notOfDate.ReplaceAllString(lower, ""), ";")
	return strings.ContainsAny(first, "ymdhs")
}

// writeSheet writes the rows of a sheet, each into the line of its number.
func writeSheet(book *excelize.File, sheet string, to *os.File) error {
	rows, err := book.Rows(sheet)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(to, 64<<10)
	out := csv.NewWriter(buffer)
	width := 0
	for rows.Next() {
		cells, err := rows.Columns()
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		for i, cell := range cells {
			cells[i] = valueOf(cell)
		}
		if width == 0 {
			width = len(cells) // the row of the headers: what stands outside of its columns is nobody's
		}
		for len(cells) < width {
			cells = append(cells, "")
		}
		if strings.Join(cells, "") == "" {
			cells = nil // an empty line, which is no row
		}
		if err := out.Write(cells[:min(width, len(cells))]); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	out.Flush()
	return errors.Join(rows.Error(), out.Error(), buffer.Flush(), rows.Close())
}

// exponential is how the library writes numbers of more than 15 digits.
var exponential = regexp.MustCompile(`^-?[0-9](\.[0-9]+)?E[+-][0-9]{2,}$`)

// valueOf is the value of a cell as text: a day as 2026-01-31, with its time where it has one; a number with its digits.
func valueOf(cell string) string {
	if moment, is := strings.CutPrefix(cell, dateMark); is {
		day, time, _ := strings.Cut(moment, "T")
		switch {
		case time == "00:00:00":
			return day
		case strings.HasPrefix(day, "1899-12-3") || strings.HasPrefix(day, "1900-01-00"): // a time without a day
			return time
		}
		return moment
	}
	if exponential.MatchString(cell) {
		if value, err := strconv.ParseFloat(cell, 64); err == nil {
			return strconv.FormatFloat(value, 'f', -1, 64)
		}
	}
	return cell
}
