/* Loops over runs of messages for LibreMQ. Each function is there in Python as well, which is the reference:
 *
 *   parse_puts      libremq.wire.calls_alike
 *   message_frames  libremq.wire.messages
 *   build_run       libremq.log.records
 *   put_run_parts   libremq.kernel.state.journal
 *   fronts_of       libremq.store.stored_message
 *   plain_images    libremq.store.stored_message
 *   fill_rows       libremq.store.space_handles
 *
 * Bytes come as bytes objects, which nobody changes; the columns of a table as writable buffers, which are held for the
 * length of a call. Lengths that come from outside are compared with what is there before anything is read.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Goes up with the one in libremq.speed: what is made for another one is not used */
#define CONTRACT 1

/* ---- numbers in bytes ---- */

static uint32_t get_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t get_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static void put_le32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

static void put_le64(uint8_t *p, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

static void put_be32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* ---- CRC-32, as zlib has it ---- */

static uint32_t crc_table[8][256];

static void make_crc_table(void)
{
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t c = n;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
        crc_table[0][n] = c;
    }
    for (int n = 0; n < 256; n++)
        for (int k = 1; k < 8; k++)
            crc_table[k][n] = crc_table[0][crc_table[k - 1][n] & 255] ^ crc_table[k - 1][n] >> 8;
}

/* `state` is the complement of a checksum, here and below */
static uint32_t crc_by_table(uint32_t state, const uint8_t *p, size_t n)
{
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low = state ^ get_le32(p), high = get_le32(p + 4);
        state = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255]
              ^ crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255]
              ^ crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
    }
    while (n--)
        state = crc_table[0][(state ^ *p++) & 255] ^ state >> 8;
    return state;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAS_FOLDING 1
#include <immintrin.h>

static int can_fold;

#define FOLDS __attribute__((target("pclmul,sse4.1")))

/* A remainder moved on by the distance that the two factors stand for, and what is found there added */
FOLDS static inline __m128i fold(__m128i value, __m128i factors, __m128i there)
{
    __m128i low = _mm_clmulepi64_si128(value, factors, 0x00);
    __m128i high = _mm_clmulepi64_si128(value, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/* Whole blocks of 16 bytes, four at least. The factors are powers of x modulo the polynomial, bits reflected. */
FOLDS static uint32_t crc_by_folding(uint32_t state, const uint8_t *p, size_t n)
{
    const __m128i by_64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i by_4 = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i reduce = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i words = _mm_setr_epi32(-1, 0, -1, 0);
    const __m128i *from = (const __m128i *)p;
    __m128i a = _mm_xor_si128(_mm_loadu_si128(from), _mm_cvtsi32_si128((int)state));
    __m128i b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
    from += 4;
    for (n -= 64; n >= 64; n -= 64, from += 4) {
        a = fold(a, by_64, _mm_loadu_si128(from));
        b = fold(b, by_64, _mm_loadu_si128(from + 1));
        c = fold(c, by_64, _mm_loadu_si128(from + 2));
        d = fold(d, by_64, _mm_loadu_si128(from + 3));
    }
    a = fold(fold(fold(a, by_16, b), by_16, c), by_16, d);
    for (; n >= 16; n -= 16)
        a = fold(a, by_16, _mm_loadu_si128(from++));
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by_16, 0x10));
    a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, words), by_4, 0x00));
    b = _mm_clmulepi64_si128(_mm_and_si128(a, words), reduce, 0x10);
    b = _mm_clmulepi64_si128(_mm_and_si128(b, words), reduce, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, b), 1);
}
#endif

static uint32_t crc(uint32_t checksum, const void *data, size_t n)
{
    const uint8_t *p = data;
    uint32_t state = ~checksum;
#ifdef HAS_FOLDING
    if (can_fold && n >= 64) {
        size_t whole = n & ~(size_t)15;
        state = crc_by_folding(state, p, whole);
        p += whole;
        n -= whole;
    }
#endif
    return ~crc_by_table(state, p, n);
}

/* ---- arguments ---- */

static int wrong_count(const char *name, Py_ssize_t got, Py_ssize_t wanted)
{
    if (got == wanted)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, got);
    return 1;
}

static int not_bytes(PyObject *object)
{
    if (PyBytes_Check(object))
        return 0;
    PyErr_Format(PyExc_TypeError, "bytes are wanted, not %.100s", Py_TYPE(object)->tp_name);
    return 1;
}

static int not_list(PyObject *object)
{
    if (PyList_Check(object))
        return 0;
    PyErr_Format(PyExc_TypeError, "a list is wanted, not %.100s", Py_TYPE(object)->tp_name);
    return 1;
}

static int not_lists_alike(PyObject *one, PyObject *other)
{
    if (not_list(one) || not_list(other))
        return 1;
    if (PyList_GET_SIZE(one) == PyList_GET_SIZE(other))
        return 0;
    PyErr_SetString(PyExc_ValueError, "the lists are not of one length");
    return 1;
}

static int get_size(PyObject *object, Py_ssize_t *into)
{
    *into = PyLong_AsSsize_t(object);
    return *into == -1 && PyErr_Occurred();
}

static int get_u64(PyObject *object, uint64_t *into)
{
    *into = PyLong_AsUnsignedLongLong(object);
    return *into == (uint64_t)-1 && PyErr_Occurred();
}

static int append_new(PyObject *list, PyObject *item)
{
    if (item == NULL)
        return 1;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return failed;
}

static int get_slot(PyObject *object, Py_ssize_t rows, Py_ssize_t *into)
{
    if (get_size(object, into))
        return 1;
    if (*into >= 0 && *into < rows)
        return 0;
    PyErr_SetString(PyExc_IndexError, "there is no such row");
    return 1;
}

static PyObject *crc32_(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    uint64_t before = 0;
    if (count != 1 && wrong_count("crc32", count, 2))
        return NULL;
    if (not_bytes(args[0]) || (count == 2 && get_u64(args[1], &before)))
        return NULL;
    return PyLong_FromUnsignedLong(crc((uint32_t)before, PyBytes_AS_STRING(args[0]), PyBytes_GET_SIZE(args[0])));
}

/* ---- what a client sent ---- */

enum { HEAD_AT = 8, IDS_AT = 100, IDS_END = 148, LENGTH_AT = 592, DATA_AT = 596 };

static PyObject *parse_puts(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t start, end, length_max, most, bytes_max;
    if (wrong_count("parse_puts", count, 8) || not_bytes(args[0]) || get_size(args[1], &start)
        || get_size(args[2], &end) || not_bytes(args[3]) || not_bytes(args[4]) || get_size(args[5], &length_max)
        || get_size(args[6], &most) || get_size(args[7], &bytes_max))
        return NULL;
    if (start < 0 || end > PyBytes_GET_SIZE(args[0]) || length_max < 0 || bytes_max < 0
        || bytes_max > PY_SSIZE_T_MAX - start || PyBytes_GET_SIZE(args[3]) != IDS_AT - HEAD_AT
        || PyBytes_GET_SIZE(args[4]) != LENGTH_AT - IDS_END) {
        PyErr_SetString(PyExc_ValueError, "this is not within the data, or not of the length of its part");
        return NULL;
    }
    const uint8_t *data = (const uint8_t *)PyBytes_AS_STRING(args[0]);
    const char *head = PyBytes_AS_STRING(args[3]), *behind = PyBytes_AS_STRING(args[4]);
    PyObject *ids = PyList_New(0), *contents = PyList_New(0), *ends = PyList_New(0);
    if (ids == NULL || contents == NULL || ends == NULL)
        goto failed;
    Py_ssize_t offset = start, last = start + bytes_max;
    for (Py_ssize_t done = 0; offset <= last && done < most && end - offset >= DATA_AT; done++) {
        const uint8_t *p = data + offset;
        uint32_t length = get_le32(p + LENGTH_AT);
        uint64_t size = (uint64_t)DATA_AT + length;
        if (length > (uint64_t)length_max || size > (uint64_t)(end - offset) || get_be32(p + 4) != size
            || memcmp(p, "TSHM", 4) != 0 || memcmp(p + HEAD_AT, head, IDS_AT - HEAD_AT) != 0
            || memcmp(p + IDS_END, behind, LENGTH_AT - IDS_END) != 0)
            break;
        offset += (Py_ssize_t)size;
        if (append_new(ids, PyBytes_FromStringAndSize((const char *)p + IDS_AT, IDS_END - IDS_AT))
            || append_new(contents, PyBytes_FromStringAndSize((const char *)p + DATA_AT, length))
            || append_new(ends, PyLong_FromSsize_t(offset)))
            goto failed;
    }
    return Py_BuildValue("(NNN)", ids, contents, ends);
failed:
    Py_XDECREF(ids);
    Py_XDECREF(contents);
    Py_XDECREF(ends);
    return NULL;
}

/* ---- what is sent ---- */

/* Where the numbers are in the frame of a message, and its token */
enum { SIZE_AT = 4, INDEX_AT = 44, COUNTED_AT = 52, REPORTED_AT = 64, TOKEN_AT = 72, TOKEN_END = 88 };

static PyObject *message_frames(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    uint64_t index;
    if (wrong_count("message_frames", count, 5) || not_bytes(args[0]) || get_u64(args[1], &index)
        || not_lists_alike(args[2], args[3]) || not_lists_alike(args[2], args[4]))
        return NULL;
    Py_ssize_t before = PyBytes_GET_SIZE(args[0]), how_many = PyList_GET_SIZE(args[2]), whole = 0;
    if (before < TOKEN_END) {
        PyErr_SetString(PyExc_ValueError, "what comes before the descriptor is too short");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < how_many; i++) {
        PyObject *body = PyList_GET_ITEM(args[2], i), *token = PyList_GET_ITEM(args[3], i);
        PyObject *data = PyList_GET_ITEM(args[4], i);
        if (not_bytes(body) || not_bytes(token) || not_bytes(data))
            return NULL;
        Py_ssize_t rest = UINT32_MAX - before - PyBytes_GET_SIZE(body);
        if (PyBytes_GET_SIZE(token) != TOKEN_END - TOKEN_AT || rest < 0 || PyBytes_GET_SIZE(data) > rest
            || whole > PY_SSIZE_T_MAX - (Py_ssize_t)UINT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "a token or a message of another length than there can be");
            return NULL;
        }
        whole += before + PyBytes_GET_SIZE(body) + PyBytes_GET_SIZE(data);
    }
    PyObject *frames = PyBytes_FromStringAndSize(NULL, whole);
    if (frames == NULL)
        return NULL;
    uint8_t *p = (uint8_t *)PyBytes_AS_STRING(frames);
    for (Py_ssize_t i = 0; i < how_many; i++) {
        PyObject *body = PyList_GET_ITEM(args[2], i), *token = PyList_GET_ITEM(args[3], i);
        PyObject *data = PyList_GET_ITEM(args[4], i);
        Py_ssize_t body_bytes = PyBytes_GET_SIZE(body), length = PyBytes_GET_SIZE(data);
        uint32_t number = (uint32_t)(index + (uint64_t)i);
        memcpy(p, PyBytes_AS_STRING(args[0]), before);
        put_be32(p + SIZE_AT, (uint32_t)(before + body_bytes + length));
        put_le32(p + INDEX_AT, number);
        put_le32(p + INDEX_AT + 4, number);
        put_le32(p + COUNTED_AT, (uint32_t)length);
        put_le32(p + REPORTED_AT, (uint32_t)length);
        put_le32(p + REPORTED_AT + 4, (uint32_t)length);
        memcpy(p + TOKEN_AT, PyBytes_AS_STRING(token), TOKEN_END - TOKEN_AT);
        memcpy(p + before, PyBytes_AS_STRING(body), body_bytes);
        memcpy(p + before + body_bytes, PyBytes_AS_STRING(data), length);
        p += before + body_bytes + length;
    }
    return frames;
}

/* ---- what is logged ---- */

enum { RECORD_HEADER = 28, PAGE_HEADER = 40, PAGE_DATA = 4056 };

static PyObject *build_run(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    uint64_t type, flags, txn, previous, position;
    Py_ssize_t started;
    if (wrong_count("build_run", count, 7) || get_u64(args[0], &type) || get_u64(args[1], &flags)
        || get_u64(args[2], &txn) || get_u64(args[3], &previous) || get_u64(args[4], &position) || get_size(args[5], &started)
        || not_list(args[6]))
        return NULL;
    PyObject *pieces = PyList_New(0), *lsns = PyList_New(0), *starts = PyList_New(0);
    if (pieces == NULL || lsns == NULL || starts == NULL)
        goto failed;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[6]); i++) {
        PyObject *parts = PyList_GET_ITEM(args[6], i);
        if (!PyTuple_Check(parts)) {
            PyErr_SetString(PyExc_TypeError, "the parts of a record are a tuple");
            goto failed;
        }
        uint64_t length = RECORD_HEADER;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(parts); k++) {
            if (not_bytes(PyTuple_GET_ITEM(parts, k)))
                goto failed;
            length += (uint64_t)PyBytes_GET_SIZE(PyTuple_GET_ITEM(parts, k));
        }
        if (length > UINT32_MAX || type > 255 || flags > 255) {
            PyErr_SetString(PyExc_OverflowError, "a record that cannot be written");
            goto failed;
        }
        uint8_t header[RECORD_HEADER] = {0};
        put_le32(header, (uint32_t)length);
        header[4] = (uint8_t)type;
        header[5] = (uint8_t)flags;
        put_le64(header + 8, txn);
        put_le64(header + 16, previous);
        uint32_t checksum = crc(0, header, 24);
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(parts); k++) {
            PyObject *part = PyTuple_GET_ITEM(parts, k);
            checksum = crc(checksum, PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part));
        }
        put_le32(header + 24, checksum);
        if (append_new(pieces, PyBytes_FromStringAndSize((const char *)header, RECORD_HEADER)))
            goto failed;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(parts); k++)
            if (PyList_Append(pieces, PyTuple_GET_ITEM(parts, k)))
                goto failed;
        uint64_t page = position / PAGE_DATA, lsn = position + PAGE_HEADER * (page + 1);
        if (started < 0 || page != (uint64_t)started) {
            started = (Py_ssize_t)page;
            if (append_new(starts, PyLong_FromUnsignedLongLong(position)))
                goto failed;
        }
        if (append_new(lsns, PyLong_FromUnsignedLongLong(lsn)))
            goto failed;
        if (txn)
            previous = lsn;
        position += length;
    }
    return Py_BuildValue("(NNNK)", pieces, lsns, starts, (unsigned long long)position);
failed:
    Py_XDECREF(pieces);
    Py_XDECREF(lsns);
    Py_XDECREF(starts);
    return NULL;
}

/* Queue, slot, sequence number, priority, flags (none), two bytes of nothing, expiry */
enum { PUT_START = 28 };

static PyObject *put_run_parts(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    uint64_t queue, priority;
    Py_ssize_t sequence, expiry;
    if (wrong_count("put_run_parts", count, 7) || get_u64(args[0], &queue) || not_lists_alike(args[1], args[5])
        || get_size(args[2], &sequence) || get_u64(args[3], &priority) || get_size(args[4], &expiry)
        || not_lists_alike(args[1], args[6]))
        return NULL;
    if (queue > UINT32_MAX || priority > 255 || sequence > PY_SSIZE_T_MAX - PyList_GET_SIZE(args[1])) {
        PyErr_SetString(PyExc_OverflowError, "a number that is too large for its field");
        return NULL;
    }
    PyObject *records = PyList_New(0);
    if (records == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[1]); i++) {
        PyObject *front = PyList_GET_ITEM(args[5], i), *data = PyList_GET_ITEM(args[6], i);
        Py_ssize_t slot;
        uint8_t start[PUT_START] = {0};
        if (not_bytes(front) || not_bytes(data) || get_slot(PyList_GET_ITEM(args[1], i), UINT32_MAX, &slot))
            goto failed;
        put_le32(start, (uint32_t)queue);
        put_le32(start + 4, (uint32_t)slot);
        put_le64(start + 8, (uint64_t)(sequence + i));
        start[16] = (uint8_t)priority;
        put_le64(start + 20, (uint64_t)expiry);
        if (append_new(records, Py_BuildValue("(y#OO)", start, (Py_ssize_t)PUT_START, front, data)))
            goto failed;
    }
    return records;
failed:
    Py_DECREF(records);
    return NULL;
}

/* ---- what is stored ---- */

enum { IMAGE_VERSION = 3, IMAGE_START = 12 };

static PyObject *fronts_of(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (wrong_count("fronts_of", count, 4) || not_bytes(args[0]) || not_lists_alike(args[1], args[3])
        || not_bytes(args[2]))
        return NULL;
    const char *head = PyBytes_AS_STRING(args[0]), *tail = PyBytes_AS_STRING(args[2]);
    Py_ssize_t head_bytes = PyBytes_GET_SIZE(args[0]), tail_bytes = PyBytes_GET_SIZE(args[2]);
    PyObject *fronts = PyList_New(0);
    if (fronts == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[1]); i++) {
        PyObject *ids = PyList_GET_ITEM(args[1], i), *data = PyList_GET_ITEM(args[3], i);
        if (not_bytes(ids) || not_bytes(data))
            goto failed;
        Py_ssize_t ids_bytes = PyBytes_GET_SIZE(ids), length = PyBytes_GET_SIZE(data);
        if ((uint64_t)length > UINT32_MAX) {
            PyErr_SetString(PyExc_OverflowError, "a message that is too long");
            goto failed;
        }
        Py_ssize_t size = 4 + IMAGE_START + head_bytes + ids_bytes + tail_bytes;
        PyObject *front = PyBytes_FromStringAndSize(NULL, size);
        if (front == NULL)
            goto failed;
        uint8_t *p = (uint8_t *)PyBytes_AS_STRING(front);
        memset(p, 0, 4 + IMAGE_START);
        p[4] = IMAGE_VERSION;
        put_le32(p + 12, (uint32_t)length);
        memcpy(p + 4 + IMAGE_START, head, head_bytes);
        memcpy(p + 4 + IMAGE_START + head_bytes, PyBytes_AS_STRING(ids), ids_bytes);
        memcpy(p + 4 + IMAGE_START + head_bytes + ids_bytes, tail, tail_bytes);
        put_le32(p, crc(crc(0, p + 4, size - 4), PyBytes_AS_STRING(data), length));
        if (append_new(fronts, front))
            goto failed;
    }
    return fronts;
failed:
    Py_DECREF(fronts);
    return NULL;
}

enum { BODY_BYTES = 356, MESSAGE_ID_AT = 40 };

static PyObject *plain_images(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    static const uint8_t plain[8] = {IMAGE_VERSION};
    if (wrong_count("plain_images", count, 5) || not_bytes(args[0]) || not_lists_alike(args[1], args[2])
        || not_lists_alike(args[1], args[3]) || not_lists_alike(args[1], args[4]))
        return NULL;
    Py_ssize_t there = PyBytes_GET_SIZE(args[0]), body_at = 4 + IMAGE_START, overhead = body_at + BODY_BYTES;
    PyObject *found = PyList_New(0);
    if (found == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[1]); i++) {
        Py_ssize_t offset, length;
        uint64_t message_hash, correlation_hash;
        if (get_size(PyList_GET_ITEM(args[1], i), &offset) || get_size(PyList_GET_ITEM(args[2], i), &length)
            || get_u64(PyList_GET_ITEM(args[3], i), &message_hash)
            || get_u64(PyList_GET_ITEM(args[4], i), &correlation_hash))
            goto failed;
        if (offset < 0 || offset > there || length < overhead || length > there - offset)
            break;
        const uint8_t *p = (const uint8_t *)PyBytes_AS_STRING(args[0]) + offset, *id = p + body_at + MESSAGE_ID_AT;
        if (memcmp(p + 4, plain, sizeof plain) != 0 || get_le32(p + 12) != (uint64_t)(length - overhead)
            || crc(0, p + 4, length - 4) != get_le32(p) || crc(0, id, 24) != message_hash
            || crc(0, id + 24, 24) != correlation_hash)
            break;
        if (append_new(found, Py_BuildValue("(y#y#)", p + body_at, (Py_ssize_t)BODY_BYTES, p + overhead,
                                            length - overhead)))
            goto failed;
    }
    return found;
failed:
    Py_DECREF(found);
    return NULL;
}

/* ---- rows of a table, by columns ---- */

/* A writable column of items of a size; 1 if it is none */
static int get_column(PyObject *object, Py_ssize_t item, Py_buffer *into)
{
    if (PyObject_GetBuffer(object, into, PyBUF_WRITABLE | PyBUF_FORMAT))
        return 1;
    if (into->itemsize == item && into->ndim == 1)
        return 0;
    PyBuffer_Release(into);
    PyErr_SetString(PyExc_ValueError, "a column of items of another size");
    return 1;
}

/* fill_rows(slots, ids, state, sequence, expiry, unit, flags, sequences, message_hash, correl_hash, expiry_ms, units) */
static PyObject *fill_rows(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    static const Py_ssize_t sizes[6] = {2, 8, 4, 4, 8, 8};
    Py_buffer columns[6];
    Py_ssize_t state, sequence, expiry, unit, held = 0, rows = PY_SSIZE_T_MAX;
    PyObject *result = NULL;
    if (wrong_count("fill_rows", count, 12) || not_lists_alike(args[0], args[1]) || get_size(args[2], &state)
        || get_size(args[3], &sequence) || get_size(args[4], &expiry) || get_size(args[5], &unit))
        return NULL;
    for (; held < 6; held++) {
        if (get_column(args[6 + held], sizes[held], &columns[held]))
            goto done;
        if (columns[held].len / sizes[held] < rows)
            rows = columns[held].len / sizes[held];
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[0]); i++) {
        PyObject *ids = PyList_GET_ITEM(args[1], i);
        Py_ssize_t slot;
        if (not_bytes(ids) || get_slot(PyList_GET_ITEM(args[0], i), rows, &slot))
            goto done;
        if (PyBytes_GET_SIZE(ids) != IDS_END - IDS_AT) {
            PyErr_SetString(PyExc_ValueError, "ids of another length");
            goto done;
        }
        ((uint16_t *)columns[0].buf)[slot] = (uint16_t)state;
        ((int64_t *)columns[1].buf)[slot] = sequence + i;
        ((uint32_t *)columns[2].buf)[slot] = crc(0, PyBytes_AS_STRING(ids), 24);
        ((uint32_t *)columns[3].buf)[slot] = crc(0, PyBytes_AS_STRING(ids) + 24, 24);
        ((int64_t *)columns[4].buf)[slot] = expiry;
        if (unit)
            ((int64_t *)columns[5].buf)[slot] = unit;
    }
    result = Py_NewRef(Py_None);
done:
    while (held--)
        PyBuffer_Release(&columns[held]);
    return result;
}

/* ---- the module ---- */

#define FUNCTION(name, c_name) {name, (PyCFunction)(void (*)(void))c_name, METH_FASTCALL, NULL}

static PyMethodDef functions[] = {
    FUNCTION("crc32", crc32_),
    FUNCTION("parse_puts", parse_puts),
    FUNCTION("message_frames", message_frames),
    FUNCTION("build_run", build_run),
    FUNCTION("put_run_parts", put_run_parts),
    FUNCTION("fronts_of", fronts_of),
    FUNCTION("plain_images", plain_images),
    FUNCTION("fill_rows", fill_rows),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "libremq_speed", "Loops of LibreMQ over runs of messages.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_libremq_speed(void)
{
    make_crc_table();
#ifdef HAS_FOLDING
    __builtin_cpu_init();
    can_fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddIntConstant(made, "CONTRACT", CONTRACT)) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
